internal import Platform
internal import VaultSQLite

/// Reads that fail, and what is made of it.
///
/// One bad read looks like a damaged file, and no verdict rests on one: whatever an I/O error
/// explains is read again through a fresh connection before it is believed.
extension VaultFile {
    /// Opens a vault by `body`, which is run again after a bad read and after a migration.
    static func opening<Result>(
        _ location: VaultLocation,
        _ body: () throws -> Result
    ) throws -> Result {
        try checkFiles(of: location)
        var mayMigrate = true
        var mayReread = true
        while true {
            do {
                return try body()
            } catch let error as Schema.Outdated {
                guard mayMigrate else { throw StoreError.inUse }
                mayMigrate = false
                try SchemaMigration.run(location, from: error.version)
            } catch  where mayReread && error.isDoubtfulRead {
                mayReread = false
            } catch {
                throw error.inPlainTerms(location)
            }
        }
    }

    /// Runs some reads, which may happen twice; within a transaction that is for its owner to do.
    package func rereading<Result>(_ body: (VaultFile) throws -> Result) throws -> Result {
        guard !connection.isInTransaction else { return try body(self) }
        do {
            try ensureConnected()
            do {
                return try body(self)
            } catch  where error.isDoubtfulRead {
                try reopen()
                return try body(self)
            }
        } catch {
            throw error.inPlainTerms(location)
        }
    }

    /// Whether the file's structure is whole: what is not so the second time either is damage.
    func isIntact() throws -> Bool {
        if (try? connection.isIntact()) == true { return true }
        try reopen()
        do {
            return try connection.isIntact()
        } catch  where error.isDamage {
            return false
        }
    }

    /// Verifies through a fresh connection.
    func verifiedAgain() throws -> VerificationReport {
        try reopen()
        return try verify()
    }
}

extension Error {
    /// Whether the same read may succeed the next time.
    var isDoubtfulRead: Bool {
        switch self as any Error {
        case let error as SQLiteError: error.isDoubtfulRead
        case StoreError.damaged: true
        default: false
        }
    }

    /// What SQLite cannot make sense of is no vault, and a lock that stays is somebody's.
    func inPlainTerms(_ location: VaultLocation) -> any Error {
        if self is ActivityLog.Damage { return StoreError.damaged(path: location.database) }
        guard let error = self as? SQLiteError else { return self }
        return switch error.code.primary {
        case .notADatabase, .corrupt: StoreError.damaged(path: location.database)
        case .busy: StoreError.busy(holder: LockHolders.first(of: location.database))
        default: error
        }
    }
}
