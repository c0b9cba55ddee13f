public import VaultCrypto

/// The identifier an authorization server gave to our registration (RFC 6749 §2.2).
public struct ClientID: RawRepresentable, Sendable, Hashable, Codable {
    /// The identifier as sent.
    public let rawValue: String

    /// An identifier from its text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// How a client proves itself at the token endpoint, by the names of RFC 7591 §2.
public enum ClientAuthentication: String, Sendable, Hashable, Codable, CaseIterable {
    /// A public client: it names itself and proves nothing.
    case none
    /// Identifier and secret in the `Authorization` header.
    case clientSecretBasic = "client_secret_basic"
    /// Identifier and secret in the body.
    case clientSecretPost = "client_secret_post"
}

/// A registration at an authorization server.
public struct Client: Sendable, Hashable {
    /// The client identifier.
    public let id: ClientID
    /// The client secret of a confidential client.
    public let secret: Secret?
    /// The way the client authenticates.
    public let authentication: ClientAuthentication

    /// A registration; without a way to authenticate it is a public client.
    public init(
        id: ClientID,
        secret: Secret? = nil,
        authentication: ClientAuthentication = .none
    ) {
        self.id = id
        self.secret = secret
        self.authentication = authentication
    }
}
