package import FoundationEssentials
package import VaultCrypto

/// What VaultKit needs of a store: conditional updates of one account, each durable once it
/// returns, and an ordered scan of what is due.
///
/// Every write names the generation it was decided on and changes nothing when the account has
/// moved on since.
package protocol AccountStore: Sendable {
    func account(named name: AccountName) async throws -> StoredAccount
    func account(_ id: AccountID) async throws -> StoredAccount?
    func accounts(after name: AccountName?, limit: Int) async throws -> [StoredAccount]
    func selectedAccount() async throws -> AccountID?

    func insert(_ account: NewAccount) async throws -> StoredAccount
    func replace(_ account: StoredAccount, with new: NewAccount) async throws -> StoredAccount
    func remove(_ name: AccountName) async throws
    func select(_ name: AccountName) async throws

    /// Writes down that the refresh token of this generation is about to be spent.
    func claim(_ account: StoredAccount, intent: Intent) async throws -> Claim
    /// Stores the pair that came back; one that comes too late is kept aside and never installed.
    func install(_ pair: NewPair, for claim: Claim) async throws -> InstallOutcome
    /// Ends a claim that brought no pair. Nothing happens if the account has moved on.
    func abandon(_ claim: Claim, as abandonment: Abandonment) async throws

    func due(before date: Date, limit: Int) async throws -> [AccountHint]
    func nextDue() async throws -> Date?
    /// The hash under which a refresh token is remembered.
    func spentTokenHash(of refreshToken: Secret) async throws -> [UInt8]
    /// A number that changes when another process changes the store.
    func changeCounter() async throws -> Int64
}

/// The right to spend the refresh token of one generation once, written to the store.
package struct Claim: Sendable, Hashable {
    package let account: AccountID
    package let number: Int64
    package let generation: UInt64
    /// The life of the store that the claim was made in: restoring begins another, in which the same
    /// generation may be of another pair.
    package let incarnation: [UInt8]
}

/// A pair to be installed.
package struct NewPair: Sendable {
    package var tokens: TokenSet
    /// Keyed hash of the refresh token that was spent for it; nil when it may be used again.
    package var spentTokenHash: [UInt8]?
    package var now: Date
    package var expiry: Date?
    package var due: Date?

    package init(
        tokens: TokenSet,
        spentTokenHash: [UInt8]?,
        now: Date,
        expiry: Date?,
        due: Date?
    ) {
        self.tokens = tokens
        self.spentTokenHash = spentTokenHash
        self.now = now
        self.expiry = expiry
        self.due = due
    }
}

/// What became of a pair.
package enum InstallOutcome: Sendable, Hashable {
    case installed(generation: UInt64)
    /// The account was signed in again or removed meanwhile; the pair was kept aside.
    case superseded
}

/// How a claim ended that brought no pair.
package struct Abandonment: Sendable {
    package var health: StoredAccount.Health
    /// Whether the refresh token may have been spent all the same: then the intent stays.
    package var outcomeIsUnknown: Bool
    /// Set when the grant turned out to be dead.
    package var signInNeeded: SignInNeeded?

    package init(
        health: StoredAccount.Health,
        outcomeIsUnknown: Bool,
        signInNeeded: SignInNeeded? = nil
    ) {
        self.health = health
        self.outcomeIsUnknown = outcomeIsUnknown
        self.signInNeeded = signInNeeded
    }
}
