/// The grants this library can present at a token endpoint, by their names on the wire.
package enum GrantType: String, Sendable, Hashable, Codable, CaseIterable {
    /// An authorization code (RFC 6749 §4.1).
    case authorizationCode = "authorization_code"
    /// A refresh token (RFC 6749 §6).
    case refreshToken = "refresh_token"
    /// The client's own credentials (RFC 6749 §4.4).
    case clientCredentials = "client_credentials"
    /// A device code (RFC 8628 §3.4).
    case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
}
