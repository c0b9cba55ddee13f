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
    /// With a condition, only an account that fulfils it at the moment of writing.
    func replace(
        _ account: StoredAccount,
        with new: NewAccount,
        only condition: AccountCondition?
    ) async throws -> StoredAccount
    func remove(_ name: AccountName, only condition: AccountCondition?) async throws
    func select(_ name: AccountName) async throws

    /// Writes down that the refresh token of this generation is about to be spent.
    ///
    /// Takes what its turn has of it too: the one try that an open breaker allows, and one of the
    /// requests that a limit does; or nothing at all.
    func claim(
        _ account: StoredAccount,
        intent: Intent,
        turn: ClaimTurn
    ) async throws -> Claim
    /// Stores the pair that came back; one that comes too late is kept aside and never installed.
    func install(_ pair: NewPair, for claim: Claim) async throws -> InstallOutcome
    /// Ends a claim that brought no pair. Nothing happens if the account has moved on, or was
    /// claimed anew.
    func abandon(_ claim: Claim, as abandonment: Abandonment) async throws
    /// Writes down that nothing is sent for now, and until when.
    ///
    /// Superseded when the account has moved on, or what it was to wait for is over.
    func postpone(
        _ account: StoredAccount,
        as health: StoredAccount.Health,
        at now: Date
    )
        async throws
    /// How the account's client fares, from all of its accounts.
    func clientState(of account: StoredAccount) async throws -> ClientState

    func due(before date: Date, limit: Int) async throws -> [AccountHint]
    func nextDue() async throws -> Date?
    /// The hash under which a refresh token is remembered.
    func spentTokenHash(of refreshToken: Secret) async throws -> [UInt8]
    /// A number that changes when another process changes the store.
    func changeCounter() async throws -> Int64
}

/// What has to hold of an account, asked within the transaction that changes it.
package typealias AccountCondition = @Sendable (StoredAccount) -> Bool

extension AccountStore {
    package func replace(
        _ account: StoredAccount,
        with new: NewAccount
    ) async throws -> StoredAccount {
        try await replace(account, with: new, only: nil)
    }

    package func remove(_ name: AccountName) async throws {
        try await remove(name, only: nil)
    }

    package func claim(_ account: StoredAccount, intent: Intent) async throws -> Claim {
        try await claim(account, intent: intent, turn: ClaimTurn())
    }
}

/// The right to spend the refresh token of one generation once, written to the store.
package struct Claim: Sendable, Hashable {
    package let account: AccountID
    package let number: Int64
    package let generation: UInt64
    /// The life of the store that the claim was made in: restoring begins another, in which the same
    /// generation may be of another pair.
    package let incarnation: [UInt8]
    /// The account's settings that the request is made from; nil where that does not matter.
    package var revision: UInt64?
    /// What was written down, by which this claim is told from others of its generation; nil where
    /// that does not matter.
    package var intent: Intent?
}

extension Claim {
    /// Whether this is the claim that is written down with the account, and not one that was ended or
    /// another process's after it.
    ///
    /// The hash says nothing here: a change of the root key makes another of the same token.
    package func isNewest(of account: StoredAccount) -> Bool {
        guard let intent else { return true }
        return account.intent?.claimed == intent.claimed
            && account.intent?.attempt == intent.attempt
    }
}

/// A pair to be installed.
package struct NewPair: Sendable {
    package var tokens: TokenSet
    /// Keyed hash of the refresh token that was spent for it; nil when it may be used again.
    package var spentTokenHash: [UInt8]?
    package var now: Date
    package var expiry: Date?
    package var due: Date?
    /// When the grant ends, where that is known.
    package var grantEnd: GrantEnd?
    /// What the answer says about the client.
    package var effect: ClientEffect?

    package init(
        tokens: TokenSet,
        spentTokenHash: [UInt8]?,
        now: Date,
        expiry: Date?,
        due: Date?,
        grantEnd: GrantEnd? = nil,
        effect: ClientEffect? = nil
    ) {
        self.tokens = tokens
        self.spentTokenHash = spentTokenHash
        self.now = now
        self.expiry = expiry
        self.due = due
        self.grantEnd = grantEnd
        self.effect = effect
    }
}

/// What became of a pair.
package enum InstallOutcome: Sendable, Hashable {
    case installed(generation: UInt64)
    /// The account was signed in again or removed meanwhile; the pair was kept aside.
    case superseded
}

/// How a claim ended that brought no pair.
package struct Abandonment: Sendable, Hashable {
    package var health: StoredAccount.Health
    /// Whether the account goes on as it is stored: nothing was learned of it, and somebody may have
    /// mended its client meanwhile.
    package var keepsHealth = false
    /// Whether the refresh token may have been spent all the same: then the intent stays.
    package var outcomeIsUnknown: Bool
    /// Set when the grant turned out to be dead.
    package var signInNeeded: SignInNeeded?
    /// How the account does instead when too many of its client are refused at once to be believed.
    package var doubted: StoredAccount.Health?
    /// What there is now of refusals without a reason.
    package var silentRefusals: SilentRefusals?
    /// Whether the client's other secret takes the place of the one that was refused.
    package var swapsSecret = false
    /// What the answer says about the client.
    package var effect: ClientEffect?
    /// When it ended; the time of the last failure unless told.
    package var at: Date?

    package init(
        health: StoredAccount.Health,
        outcomeIsUnknown: Bool,
        signInNeeded: SignInNeeded? = nil,
        doubted: StoredAccount.Health? = nil,
        silentRefusals: SilentRefusals? = nil,
        effect: ClientEffect? = nil,
        at: Date? = nil
    ) {
        self.health = health
        self.outcomeIsUnknown = outcomeIsUnknown
        self.signInNeeded = signInNeeded
        self.doubted = doubted
        self.silentRefusals = silentRefusals
        self.effect = effect
        self.at = at ?? health.failures?.at
    }

    /// How the account does afterwards.
    package func health(of account: StoredAccount) -> StoredAccount.Health {
        guard keepsHealth else { return health }
        var kept = account.health
        // Somebody saw the claim while it was there.
        if kept.state == .outcomeUnknown, !outcomeIsUnknown { kept.state = .active }
        return kept
    }
}
