import FoundationEssentials
import VaultCrypto
import VaultStore

/// A store that hands everything on, and lets a test come between at the writes of a refresh.
struct InterceptedStore: AccountStore {
    let store: SQLiteStore
    /// Runs in place of a claim.
    var claiming: @Sendable (SQLiteStore, StoredAccount, Intent) async throws -> Claim = {
        try await $0.claim($1, intent: $2)
    }
    /// Runs in place of an install.
    var installing: @Sendable (SQLiteStore, NewPair, Claim) async throws -> InstallOutcome = {
        try await $0.install($1, for: $2)
    }
    /// Runs in place of an abandonment.
    var abandoning: @Sendable (SQLiteStore, Claim, Abandonment) async throws -> Void = {
        try await $0.abandon($1, as: $2)
    }

    /// Runs before an account is put off.
    var postponing: @Sendable (SQLiteStore, StoredAccount) async throws -> Void = { _, _ in }

    init(_ store: SQLiteStore) {
        self.store = store
    }

    func account(named name: AccountName) async throws -> StoredAccount {
        try store.account(named: name)
    }
    func account(_ id: AccountID) async throws -> StoredAccount? { try store.account(id) }
    func accounts(after name: AccountName?, limit: Int) async throws -> [StoredAccount] {
        try store.accounts(after: name, limit: limit)
    }
    func selectedAccount() async throws -> AccountID? { try store.selectedAccount() }
    func insert(_ account: NewAccount) async throws -> StoredAccount {
        try await store.insert(account)
    }
    func replace(
        _ account: StoredAccount,
        with new: NewAccount,
        only condition: AccountCondition?
    ) async throws -> StoredAccount {
        try await store.replace(account, with: new, only: condition)
    }
    func remove(_ name: AccountName, only condition: AccountCondition?) async throws {
        try await store.remove(name, only: condition)
    }
    func select(_ name: AccountName) async throws { try await store.select(name) }
    func claim(
        _ account: StoredAccount,
        intent: Intent,
        turn: ClaimTurn
    ) async throws -> Claim {
        try await claiming(store, account, intent)
    }
    func install(_ pair: NewPair, for claim: Claim) async throws -> InstallOutcome {
        try await installing(store, pair, claim)
    }
    func abandon(_ claim: Claim, as abandonment: Abandonment) async throws {
        try await abandoning(store, claim, abandonment)
    }
    func postpone(
        _ account: StoredAccount,
        as health: StoredAccount.Health,
        at now: Date
    ) async throws {
        try await postponing(store, account)
        try await store.postpone(account, as: health, at: now)
    }
    func clientState(of account: StoredAccount) async throws -> ClientState {
        try store.clientState(of: account)
    }
    func due(before date: Date, limit: Int) async throws -> [AccountHint] {
        try store.due(before: date, limit: limit)
    }
    func nextDue() async throws -> Date? { try store.nextDue() }
    func spentTokenHash(of refreshToken: Secret) async throws -> [UInt8] {
        try store.spentTokenHash(of: refreshToken)
    }
    func changeCounter() async throws -> Int64 { try store.changeCounter() }
}
