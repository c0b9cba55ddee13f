public import FoundationEssentials
public import OAuth

/// An account as a program may show it: no token, no secret.
public struct Account: Sendable, Hashable {
    /// Its name.
    public let name: AccountName
    /// Whether it is the one that is used when none is named.
    public let isCurrent: Bool
    /// How it is doing.
    public let state: AccountState
    /// Why it is not active, as a name of the vault's own: the kind of the last failure, or why a
    /// person is needed; the state's own name, where it is one that only a newer agent knows.
    public let reason: String?
    /// When it came to be in this state; nil where nobody wrote it down.
    public let since: Date?
    /// When its refresh token was first sent, where the answer is lost or two sendings ended the
    /// grant.
    public let firstSent: Date?
    /// When the same refresh token was sent once more.
    public let sentAgain: Date?
    /// The authorization server, where it was told.
    public let issuer: String?
    /// Who signed in, where the server said.
    public let identity: Identity?
    /// The token endpoint; of a token that is never renewed, which has none, an address that leads
    /// nowhere (`.invalid`, RFC 2606 §2).
    public let tokenEndpoint: EndpointURL
    /// When its access token expires; nil when unknown.
    public let expiry: Date?
    /// Seconds that its access token lives in all; nil when unknown.
    public let lifetime: TimeInterval?
    /// When its next refresh is planned, or the next time that a refused grant is asked for; nil when
    /// there is none.
    public let due: Date?
    /// When its grant ends unless somebody signs in anew: as the server said when it gave out the
    /// refresh token, or as is known of the provider; nil when nobody knows.
    ///
    /// Of a server that prolongs it with every refresh it lies ahead by a whole life again after each.
    public let grantEnd: Date?
    /// When it is renewed in the background.
    public let renewal: RenewalPolicy
    /// Counts the pairs that it has had.
    public let generation: UInt64
    /// Failures since the last success, zero when all is well.
    public let failureCount: Int
    /// The kind of the last failure.
    public let lastFailure: String?
    /// What its access tokens are obtained with.
    public let grantKind: GrantKind
    /// What it is found by, in the order of the bytes.
    public let tags: [AccountTag]

    package init(
        name: AccountName,
        isCurrent: Bool,
        state: AccountState,
        reason: String?,
        since: Date?,
        firstSent: Date?,
        sentAgain: Date?,
        issuer: String?,
        tokenEndpoint: EndpointURL,
        expiry: Date?,
        due: Date?,
        grantEnd: Date?,
        renewal: RenewalPolicy,
        generation: UInt64,
        failureCount: Int,
        lastFailure: String?,
        tags: [AccountTag],
        lifetime: TimeInterval? = nil,
        grantKind: GrantKind = .refreshToken,
        identity: Identity? = nil
    ) {
        self.name = name
        self.isCurrent = isCurrent
        self.state = state
        self.reason = reason
        self.since = since
        self.firstSent = firstSent
        self.sentAgain = sentAgain
        self.issuer = issuer
        self.tokenEndpoint = tokenEndpoint
        self.expiry = expiry
        self.due = due
        self.grantEnd = grantEnd
        self.renewal = renewal
        self.generation = generation
        self.failureCount = failureCount
        self.lastFailure = lastFailure
        self.tags = tags
        self.lifetime = lifetime
        self.grantKind = grantKind
        self.identity = identity
    }
}
