public import FoundationEssentials
public import VaultCrypto

/// What a token endpoint's answer comes to.
package enum TokenAnswer: Sendable {
    /// An access token was issued.
    case granted(TokenResponse)
    /// There is no usable access token, for the reason given.
    case refused(TokenEndpointError)
}

/// An access token and what came with it (RFC 6749 §5.1).
public struct TokenResponse: Sendable {
    /// The access token.
    public let accessToken: Secret
    /// A new refresh token; without one the stored one stays.
    public let refreshToken: Secret?
    /// How the access token is presented; `Bearer` unless another type was named.
    public let tokenType: String
    /// Whole seconds the access token lasts, counted from the moment given to the reader.
    public let lifetime: Double?
    /// The same end as a wall-clock time; both are missing when nothing readable was said.
    public let expiry: Date?
    /// The scope granted, if the answer states one.
    public let scope: Scope?
    /// An OpenID Connect ID token.
    public let idToken: Secret?
    /// Seconds after which the server would like a refresh.
    public let refreshIn: Double?
    /// Seconds the refresh token lasts, counted from the same moment; nil when nobody said.
    public let refreshTokenLifetime: Double?
    /// Members of the answer that have no meaning here.
    package let extra: [String: JSONValue]

    /// What a token endpoint answered, put together by whoever asked it.
    ///
    /// Nothing is checked here: a vault refuses to store an answer that is not as told below.
    ///
    /// - Parameters:
    ///   - accessToken: The access token, which is not empty.
    ///   - refreshToken: The refresh token, without which the account cannot be renewed; nil rather
    ///     than empty.
    ///   - tokenType: How the access token is presented, which is not empty.
    ///   - lifetime: Seconds the access token lasts from now, zero or more and finite; nil when nobody
    ///     said.
    ///   - scope: The scope granted, if the answer states one.
    ///   - refreshTokenLifetime: Seconds the refresh token lasts from now, above zero and finite; nil
    ///     when nobody said.
    public init(
        accessToken: Secret,
        refreshToken: Secret? = nil,
        tokenType: String = "Bearer",
        lifetime: Double? = nil,
        scope: Scope? = nil,
        refreshTokenLifetime: Double? = nil
    ) {
        self.init(
            accessToken: accessToken,
            refreshToken: refreshToken,
            tokenType: tokenType,
            lifetime: lifetime,
            expiry: nil,
            scope: scope,
            refreshTokenLifetime: refreshTokenLifetime
        )
    }

    package init(
        accessToken: Secret,
        refreshToken: Secret? = nil,
        tokenType: String = "Bearer",
        lifetime: Double? = nil,
        expiry: Date?,
        scope: Scope? = nil,
        idToken: Secret? = nil,
        refreshIn: Double? = nil,
        refreshTokenLifetime: Double? = nil,
        extra: [String: JSONValue] = [:]
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.tokenType = tokenType
        self.lifetime = lifetime
        self.expiry = expiry
        self.scope = scope
        self.idToken = idToken
        self.refreshIn = refreshIn
        self.refreshTokenLifetime = refreshTokenLifetime
        self.extra = extra
    }

    /// The name of the first part that no account can be stored with; nil when there is none.
    ///
    /// What the reader makes of an answer has none.
    package var flaw: String? {
        if accessToken.isEmpty { return "access_token" }
        if refreshToken?.isEmpty == true { return "refresh_token" }
        if tokenType.isEmpty { return "token_type" }
        if let lifetime, !(lifetime >= 0 && lifetime.isFinite) { return "lifetime" }
        if let life = refreshTokenLifetime, !(life > 0 && life <= UnixTime.maximum) {
            return "refresh_token_lifetime"
        }
        return nil
    }
}
