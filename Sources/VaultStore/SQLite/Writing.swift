internal import Platform
internal import VaultSQLite

/// Writes: durable, decided when their commit is not, and with room kept for them on a full disk.
extension VaultFile {
    /// Runs `body` in one durable transaction.
    ///
    /// An error means that nothing was written, as far as anybody can tell. `body` may run twice.
    func write<Result>(_ body: () throws -> Result) throws -> Result {
        try write(confirming: { _ in false }, body)
    }

    /// The same, for a change that can be recognised.
    ///
    /// After a commit that failed, which may have happened all the same, `isThere` says what became
    /// of it: it is asked about the result of `body`, inside a transaction on a fresh connection, and
    /// again before `body` runs a second time.
    func write<Result>(
        confirming isThere: (Result) throws -> Bool,
        _ body: () throws -> Result
    ) throws -> Result {
        var mayUseReserve = true
        var mayReread = true
        var written: Result?
        defer { isLogOff = false }
        while true {
            do {
                let result = try transaction(&written, confirming: isThere, body)
                // Not at once where it was needed just now.
                if mayUseReserve { ReserveFile.keep(of: location) }
                return result
            } catch let error as UnknownCommit {
                guard mayUseReserve, error.cause.isFullDisk else { throw error.cause }
                guard ReserveFile.release(of: location) else { throw error.cause }
                mayUseReserve = false
            } catch let error as SQLiteError where error.isFullDisk && mayUseReserve {
                guard ReserveFile.release(of: location) else { throw error }
                mayUseReserve = false
            } catch let error as SQLiteError where error.isDoubtfulRead && mayReread {
                mayReread = false
                try reopen()
            } catch is ActivityLog.Damage where !isLogOff {
                isLogOff = true
                try reopen()
            } catch {
                throw error.inPlainTerms(location)
            }
        }
    }

    /// One attempt.
    ///
    /// `written` is the result of an attempt before this one, whose outcome may be unknown.
    ///
    /// - Throws: `UnknownCommit` when the commit failed and did not happen, as far as can be told.
    private func transaction<Result>(
        _ written: inout Result?,
        confirming isThere: (Result) throws -> Bool,
        _ body: () throws -> Result
    ) throws -> Result {
        try prepareForWriting()
        let calls = self.calls
        do {
            return try connection.write {
                if let written, try isThere(written) {
                    try touch()
                    return written
                }
                let result = try body()
                written = result
                return result
            }
        } catch let error as UnknownCommit {
            try? reopen()
            if let written, (try? isDurable(written, isThere)) == true { return written }
            // That commit may be as unknown as the first.
            try? reopen()
            self.calls = calls
            throw error
        } catch {
            // Whom it called is not called.
            self.calls = calls
            throw error
        }
    }

    /// Whether a change whose commit failed is there, and stays.
    ///
    /// What is read may be in memory alone, its sync having failed. A commit that succeeds, of no
    /// change, writes and syncs the journal's end once more, which is what was missing.
    private func isDurable<Result>(
        _ result: Result,
        _ isThere: (Result) throws -> Bool
    ) throws -> Bool {
        try prepareForWriting()
        return try connection.write {
            guard try isThere(result) else { return false }
            try touch()
            return true
        }
    }

    /// Commits a change that changes nothing, to find out whether the disk takes one and, where the
    /// keys are here, whether they are still the ones to seal it under.
    package func proveWritable() throws {
        try write {
            if isUnlocked { _ = try currentKeyring() }
            try touch()
        }
    }

    /// Writes a page as it is; an UPDATE to the same value would write none.
    private func touch() throws {
        let version = try connection.integerPragma("user_version")
        try connection.execute("PRAGMA user_version = \(version)")
    }
}
