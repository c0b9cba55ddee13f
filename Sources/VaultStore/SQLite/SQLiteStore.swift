package import FoundationEssentials
package import OAuth
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

    // MARK: - Reads

    package nonisolated func account(named name: AccountName) throws -> StoredAccount {
        try reading { try $0.account(named: name) }
    }

    package nonisolated func tokenAtHand(
        of name: AccountName,
        for request: AccessTokenRequest?
    ) throws -> TokenAtHand? {
        try reading { try $0.tokenAtHand(of: name, for: request) }
    }

    package nonisolated func account(_ id: AccountID) throws -> StoredAccount? {
        try reading { try $0.account(id) }
    }

    package nonisolated func accounts(
        after name: AccountName?,
        limit: Int
    ) throws -> [StoredAccount] {
        try reading { try $0.accounts(after: name, limit: limit) }
    }

    package nonisolated func selectedAccount() throws -> AccountID? {
        try reading { try $0.selectedAccount() }
    }

    package nonisolated func due(before date: Date, limit: Int) throws -> [AccountHint] {
        try reading { try $0.due(before: date, limit: limit) }
    }

    package nonisolated func due(
        after last: (due: Date, number: Int64),
        before date: Date,
        limit: Int
    ) throws -> [AccountHint] {
        try reading { try $0.due(after: last, before: date, limit: limit) }
    }

    package nonisolated func dueAfterLoss(before date: Date, limit: Int) throws -> [AccountHint] {
        try reading { try $0.dueAfterLoss(before: date, limit: limit) }
    }

    package nonisolated func due(
        of client: [UInt8],
        before date: Date,
        limit: Int
    ) throws -> [AccountHint] {
        try reading { try $0.due(of: client, before: date, limit: limit) }
    }

    package nonisolated func clients(after client: [UInt8], limit: Int) throws -> [[UInt8]] {
        try reading { try $0.clients(after: client, limit: limit) }
    }

    package nonisolated func lastSeenClock() throws -> Moment? {
        try reading { try $0.lastSeenClock() }
    }

    package nonisolated func grantEnds(
        after place: GrantEndPlace,
        before date: Date,
        limit: Int
    ) throws -> [GrantEndPlace] {
        try reading { try $0.grantEnds(after: place, before: date, limit: limit) }
    }

    package nonisolated func newestActivity(
        of account: String?,
        since: Date?,
        limit: Int
    ) throws -> [Activity] {
        try reading { try $0.newestActivity(of: account, since: since, limit: limit) }
    }

    package nonisolated func nextDue() throws -> Date? {
        try reading { try $0.nextDue() }
    }

    package nonisolated func accountCount() throws -> Int {
        try reading { try $0.accountCount() }
    }

    package nonisolated func changeCounter() throws -> Int64 {
        try reading { try $0.changeCounter() }
    }

    package nonisolated func clientState(of account: StoredAccount) throws -> ClientState {
        try clientState(of: account.settings)
    }

    package nonisolated func clientState(of settings: AccountSettings) throws -> ClientState {
        try reading { try $0.clientState(of: settings) }
    }

    package nonisolated func requestLimit(of settings: AccountSettings) throws -> RequestLimit? {
        try reading { $0.requestLimit(of: settings) }
    }

    package nonisolated func stateChangeCount() throws -> Int64 {
        try reading { try $0.stateChangeCount() }
    }

    package nonisolated func stateChanges(
        after place: StateChange.Place,
        upTo last: Int64 = .max,
        withActive: Bool = true,
        limit: Int
    ) throws -> StateChangePage {
        try reading {
            try $0.stateChanges(after: place, upTo: last, withActive: withActive, limit: limit)
        }
    }

    package nonisolated func spentTokenHash(of refreshToken: Secret) throws -> [UInt8] {
        try reading { try $0.spentTokenHash(of: refreshToken) }
    }

    private nonisolated func reading<Result: Sendable>(
        _ body: @Sendable (VaultFile) throws -> Result
    ) throws -> Result {
        try reader.withLock { try $0.rereading(body) }
    }

    package nonisolated func accountCounts() throws -> [AccountState: Int] {
        try reading { try $0.accountCounts() }
    }

    package nonisolated func accountPage(after name: String?, limit: Int) throws -> AccountPage {
        try reading { try $0.accountPage(after: name, limit: limit) }
    }

    package nonisolated func accounts(
        tagged tags: Set<AccountTag>,
        after id: [UInt8]?,
        limit: Int
    ) throws -> TaggedAccounts {
        try reading { try $0.accounts(tagged: tags, after: id, limit: limit) }
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
