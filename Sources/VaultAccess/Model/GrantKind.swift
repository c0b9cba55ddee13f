/// What an account's access tokens are obtained with, by the names of every JSON document.
public enum GrantKind: String, Sendable, Hashable, CaseIterable, Codable {
    /// A refresh token (RFC 6749 §6).
    case refreshToken = "refresh_token"
    /// The client's own credentials (RFC 6749 §4.4): there is no refresh token, and the next access
    /// token is asked for as the first one was.
    case clientCredentials = "client_credentials"
    /// Nothing: the token is never renewed.
    case `static`
}
