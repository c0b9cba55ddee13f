internal import Platform
internal import VaultSQLite

/// Writes of several accounts that share one commit: syncing the disk costs far more than any of them.
///
/// Each is all or nothing by itself, and none is known to its caller before the commit is durable.
final class SharedCommit {
    /// Asks whether each of them is there.
    var checks: [() throws -> Bool] = []

    /// One run of all of them, which may not be the last.
    struct Attempt {
        let checks: [() throws -> Bool]
        /// Each tells its caller what came of it.
        let results: [() -> Void]
    }
}

/// One of them, and what came of it.
protocol SharedWrite: Sendable {
    /// Runs it within the transaction of all.
    ///
    /// - Returns: What tells its caller of the result, to be called once that is durable.
    /// - Throws: What is no matter of this write alone.
    func run(in file: VaultFile) throws -> () -> Void
    /// Runs it in a transaction of its own.
    func runAlone(in file: VaultFile)
    /// Gives it up.
    func fail(with error: any Error)
}

/// A write that waits for its commit.
final class WaitingWrite<Value: Sendable>: SharedWrite {
    private let body: @Sendable (VaultFile) throws -> Value
    private let result = Locked<Result<Value, any Error>?>(nil)

    init(_ body: @escaping @Sendable (VaultFile) throws -> Value) {
        self.body = body
    }

    func run(in file: VaultFile) throws -> () -> Void {
        let result = Result { try body(file) }
        if case .failure(let error) = result, error.endsTransaction { throw error }
        let plain = result.mapError { $0.inPlainTerms(file.location) }
        return { self.set(plain) }
    }

    func runAlone(in file: VaultFile) {
        set(Result { try body(file) })
    }

    func fail(with error: any Error) {
        set(.failure(error))
    }

    private func set(_ result: Result<Value, any Error>) {
        self.result.withLock { $0 = result }
    }

    /// What came of it, once it was run; nil before.
    var outcome: Result<Value, any Error>? { result.withLock { $0 } }
}

extension VaultFile {
    /// Runs `body` in one durable transaction, which others may share.
    func writeSharing<Result>(
        confirming isThere: @escaping (Result) throws -> Bool,
        _ body: () throws -> Result
    ) throws -> Result {
        guard let sharedCommit else { return try write(confirming: isThere, body) }
        let calls = self.calls
        do {
            let result = try connection.nested(body)
            sharedCommit.checks.append { try isThere(result) }
            return result
        } catch {
            self.calls = calls
            throw error
        }
    }

    /// Runs writes in one transaction, or each in its own where that does not work out.
    func write(_ writes: [any SharedWrite]) {
        do {
            guard writes.count > 1 else { throw Alone() }
            try writeTogether(writes)
        } catch StoreError.busy(let holder) {
            // One after the other they would wait for that lock as often as there are writes.
            for write in writes { write.fail(with: StoreError.busy(holder: holder)) }
        } catch {
            // A full disk for one, or an account whose row cannot be read: each gets its own error.
            for write in writes { write.runAlone(in: self) }
        }
    }

    private struct Alone: Error {}

    private func writeTogether(_ writes: [any SharedWrite]) throws {
        // What an attempt found is of that attempt alone: another one may end sooner.
        let areThere = { (attempt: SharedCommit.Attempt) throws -> Bool in
            try attempt.checks.allSatisfy { try $0() }
        }
        let attempt = try write(confirming: areThere) {
            let shared = SharedCommit()
            sharedCommit = shared
            defer { sharedCommit = nil }
            let results = try writes.map { try $0.run(in: self) }
            return SharedCommit.Attempt(checks: shared.checks, results: results)
        }
        for tell in attempt.results { tell() }
    }
}

extension Error {
    /// Whether the database may have given up the transaction, or has to: not the matter of one write.
    fileprivate var endsTransaction: Bool {
        self is SQLiteError || self is UnknownCommit || self is ActivityLog.Damage
    }
}
