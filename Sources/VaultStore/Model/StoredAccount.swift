package import FoundationEssentials
package import VaultCrypto

/// An account as it was at one moment, every part opened from its seal.
package struct StoredAccount: Sendable, Hashable {
    /// The account's byte in the lock file; never used for another.
    package var number: Int64
    package var id: AccountID
    package var revision: UInt64
    package var settings: AccountSettings
    /// Counts the pairs stored.
    package var generation: UInt64
    package var tokens: TokenSet
    /// Left behind when a refresh was sent and nobody lived to store its answer.
    package var intent: Intent?
    package var health: Health

    package var name: AccountName { settings.name }

    /// Why the account needs a new sign-in; nil when it needs none.
    package var signInReason: SignInNeeded.Reason? {
        guard health.state == .signInNeeded else { return nil }
        return tokens.signInNeeded?.reason
            ?? (settings.grantKind == .static ? .tokenExpired : .noRefreshToken)
    }

    /// The generation that the token for a request came with; nil when there is none.
    package func generation(of request: AccessTokenRequest?) -> UInt64? {
        tokens.accessToken(for: request).map { $0.generation ?? generation }
    }

    /// Columns that are hints: for showing, ordering and backing off.
    ///
    /// A state that wants a person is no hint: it comes from the seal, or from the spent tokens.
    package struct Health: Sendable, Hashable {
        package var state: AccountState
        /// When the next refresh is planned; nil when none is.
        ///
        /// Of an account that is not renewable, when the account's end is to be written down.
        package var due: Date?
        package var failures: Failures?
        /// When the account came to be in this state; nil when nobody wrote it down.
        package var since: Date?

        package init(
            state: AccountState,
            due: Date?,
            failures: Failures? = nil,
            since: Date? = nil
        ) {
            self.state = state
            self.due = due
            self.failures = failures
            self.since = since
        }
    }

    /// What went wrong since the last success.
    package struct Failures: Sendable, Hashable {
        package var count: Int
        /// The class of the last one, by name.
        package var last: String
        package var at: Date

        package init(count: Int, last: String, at: Date) {
            self.count = count
            self.last = last
            self.at = at
        }
    }
}

/// An account to be stored for the first time.
package struct NewAccount: Sendable {
    /// What it is known by once it is stored; one whose grant is replaced keeps its own.
    package var id: AccountID
    package var settings: AccountSettings
    package var tokens: TokenSet
    package var health: StoredAccount.Health
    package var expiry: Date?

    /// When its grant ends; nil where nobody knows.
    package var grantEnd: GrantEnd? { tokens.grantEnd(settings.provider) }

    package init(
        id: AccountID = .random(),
        settings: AccountSettings,
        tokens: TokenSet,
        health: StoredAccount.Health,
        expiry: Date?
    ) {
        self.id = id
        self.settings = settings
        self.tokens = tokens
        self.health = health
        self.expiry = expiry
    }
}

/// What can be said of an account without a key.
package struct AccountHint: Sendable, Hashable {
    package var number: Int64
    package var name: String
    package var state: AccountState
    package var expiry: Date?
    package var due: Date?
    /// Stands for its client; nil until an account of an older program is refreshed.
    package var client: [UInt8]?

    package init(
        number: Int64,
        name: String,
        state: AccountState,
        expiry: Date? = nil,
        due: Date? = nil,
        client: [UInt8]? = nil
    ) {
        self.number = number
        self.name = name
        self.state = state
        self.expiry = expiry
        self.due = due
        self.client = client
    }
}
