public import VaultCrypto

/// What one token request, or `issue`, gave.
public struct TokenPair: Sendable, Hashable {
    /// The access token.
    public let accessToken: Secret
    /// The refresh token.
    public let refreshToken: Secret
    /// When the access token ends, in seconds since 1970.
    public let expiry: Double
    /// The scope of the access token.
    public let scope: String
    /// Whose it is.
    public let subject: String
}
