public import FoundationEssentials
public import OAuth
internal import Platform
public import VaultStore

/// An account as a program may show it: no token, no secret.
public struct Account: Sendable, Hashable {
    /// Its name.
    public let name: AccountName
    /// Whether it is the one that is used when none is named.
    public let isCurrent: Bool
    /// How it is doing.
    public let state: AccountState
    /// The authorization server, where it was told.
    public let issuer: String?
    /// The token endpoint.
    public let tokenEndpoint: EndpointURL
    /// When its access token expires; nil when unknown.
    public let expiry: Date?
    /// When its next refresh is planned; nil when none is.
    public let due: Date?
    /// Counts the pairs that it has had.
    public let generation: UInt64
    /// Failures since the last success, zero when all is well.
    public let failureCount: Int
    /// The kind of the last failure.
    public let lastFailure: String?

    package init(_ account: StoredAccount, isCurrent: Bool, now: Moment) {
        name = account.name
        self.isCurrent = isCurrent
        state = account.health.state
        issuer = account.settings.issuer
        tokenEndpoint = account.settings.tokenEndpoint
        expiry = account.tokens.defaultToken?.expiry(at: now)
        due = account.health.state.wantsPerson ? nil : account.health.due
        generation = account.generation
        failureCount = account.health.failures?.count ?? 0
        lastFailure = account.health.failures?.last
    }
}
