package import FoundationEssentials
package import Platform
package import VaultCrypto

/// The store in one SQLite file.
///
/// Writes wait for disks and for other processes, so they run on a thread of their own. Reads are
/// short and go through a second connection on the caller's thread.
package actor SQLiteStore: AccountStore {
    private let executor: SerialQueueExecutor
    private let writer: VaultFile
    private let reader: Locked<VaultFile>
    /// Writes that come into the next commit.
    private let waiting = Locked<[any SharedWrite]>([])
    /// The most in one commit: nobody waits long for it, and a reader is not kept out for long.
    private static let mostTogether = 64
    package nonisolated let location: VaultLocation
    package nonisolated let vaultID: VaultID

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// A store over an unlocked vault file.
    package init(_ file: sending VaultFile) throws {
        location = file.location
        vaultID = file.vaultID
        executor = SerialQueueExecutor(label: "vault.store")
        let reader = try VaultFile(file.location, keys: file.unlockedKeys)
        try reader.keepPages()
        self.reader = Locked(reader)
        writer = file
    }

    /// Reads through the connection that is there for it.
    nonisolated func reading<Result: Sendable>(
        _ body: @Sendable (VaultFile) throws -> Result
    ) throws -> Result {
        try reader.withLock { try $0.rereading(body) }
    }

    /// Another connection with the same keys, for work that takes long.
    package nonisolated func openAnother() throws -> VaultFile {
        try VaultFile(location, keys: reader.withLock { $0.unlockedKeys })
    }

    // MARK: - Writes

    @discardableResult
    package func replan(_ plans: [NewPlan]) throws -> Int {
        try writer.replan(plans)
    }

    package func nameClients(limit: Int) throws -> Bool {
        try writer.nameClients(limit: limit)
    }

    package func tellGrantEnds(
        of accounts: [StoredAccount],
        at now: Date
    ) throws -> [StoredAccount] {
        try writer.tellGrantEnds(of: accounts, at: now)
    }

    package func note(clock: Moment) throws {
        try writer.note(clock: clock)
    }

    package func insert(_ account: NewAccount) throws -> StoredAccount {
        try writer.insert(account)
    }

    package func replace(
        _ account: StoredAccount,
        with new: NewAccount,
        only condition: AccountCondition?
    ) throws -> StoredAccount {
        try writer.replace(account, with: new, only: condition)
    }

    package func remove(_ name: AccountName, only condition: AccountCondition?) throws {
        try writer.remove(name, only: condition)
    }

    package func endGrant(of account: StoredAccount, at now: Date) throws -> StoredAccount {
        try writer.endGrant(of: account, at: now)
    }

    package func rename(_ name: AccountName, to new: AccountName) throws -> StoredAccount {
        try writer.rename(name, to: new)
    }

    package func changeTags(
        of name: AccountName,
        _ change: @Sendable (Set<AccountTag>) throws -> Set<AccountTag>
    ) throws -> StoredAccount {
        try writer.changeTags(of: name, change)
    }

    package func setRenewal(
        _ policy: RenewalPolicy,
        of name: AccountName,
        due: @Sendable (StoredAccount) -> Date?
    ) throws -> StoredAccount {
        try writer.setRenewal(policy, of: name, due: due)
    }

    package func pin(_ change: EndpointChange) throws -> StoredAccount { try writer.pin(change) }

    package func proveWritable() throws {
        try writer.proveWritable()
    }

    package func select(_ name: AccountName) throws {
        try writer.select(name)
    }

    package func setSecret(_ new: NewClientSecret, at now: Date) throws -> [AccountName] {
        try writer.setSecret(new, at: now)
    }

    // MARK: - Writes of refreshes, which share their commits

    package nonisolated func claim(
        _ account: StoredAccount,
        intent: Intent,
        turn: ClaimTurn
    ) async throws -> Claim {
        try await sharing { try $0.claim(account, intent: intent, turn: turn) }
    }

    package nonisolated func postpone(
        _ account: StoredAccount,
        as health: StoredAccount.Health,
        at now: Date
    ) async throws {
        try await sharing { try $0.postpone(account, as: health, at: now) }
    }

    package nonisolated func install(
        _ pair: NewPair,
        for claim: Claim
    ) async throws -> InstallOutcome {
        try await sharing { try $0.install(pair, for: claim) }
    }

    package nonisolated func abandon(_ claim: Claim, as abandonment: Abandonment) async throws {
        try await sharing { try $0.abandon(claim, as: abandonment) }
    }

    private nonisolated func sharing<Value: Sendable>(
        _ body: @escaping @Sendable (VaultFile) throws -> Value
    ) async throws -> Value {
        let write = WaitingWrite(body)
        waiting.withLock { $0.append(write) }
        while true {
            // Those who wait while a commit is under way come into the next one.
            await commitWaiting()
            if let outcome = write.outcome { return try outcome.get() }
        }
    }

    private func commitWaiting() {
        let writes = waiting.withLock { waiting in
            defer { waiting.removeFirst(min(waiting.count, Self.mostTogether)) }
            return Array(waiting.prefix(Self.mostTogether))
        }
        if !writes.isEmpty { writer.write(writes) }
    }
}
