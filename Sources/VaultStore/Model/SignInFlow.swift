/// How a person signs in to an account, by the words of `vault login --flow`.
package enum SignInFlow: String, Sendable, Hashable, CaseIterable {
    /// An authorization code that a browser of this machine brings (RFC 6749 §4.1, RFC 8252 §7.3).
    case browser
    /// The same from a browser on another machine: the person pastes the address that it ended on.
    case paste
    /// A code that the person types on another device (RFC 8628).
    case device
    /// No person at all: the client asks with its own credentials (RFC 6749 §4.4).
    case clientCredentials = "client-credentials"
}

extension SignInFlow {
    /// Whether it ends at the client's redirect address.
    package var usesRedirect: Bool { self == .browser || self == .paste }

    /// Whether somebody signs in, and not the client for itself.
    package var isOfPerson: Bool { self != .clientCredentials }
}
