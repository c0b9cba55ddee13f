/// A parameter of a token request, known to whoever may see the account's settings: never a secret.
public struct RequestParameter: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// Its value.
    public let value: String

    /// A parameter.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension RequestParameter {
    /// Names that carry a secret or say who asks for what: an account has these elsewhere.
    package static let reservedNames: Set = [
        "access_token", "assertion", "client_assertion", "client_id", "client_secret", "code",
        "code_verifier", "device_code", "id_token", "password", "refresh_token", "token",
    ]

    /// Names of an authorization request that the protocol itself decides on: what another value would
    /// do is lead the answer elsewhere, or leave it unprotected.
    private static let decidedNames: Set = [
        "response_type", "response_mode", "redirect_uri", "scope", "state", "nonce",
        "code_challenge", "code_challenge_method", "request", "request_uri",
    ]

    /// Whether a parameter of this name may be added to an authorization request.
    package static func mayBeAsked(_ name: String) -> Bool {
        mayBeNamed(name) && !decidedNames.contains(name.lowercased())
    }

    /// Whether a parameter of this name may be added to a request.
    package static func mayBeNamed(_ name: String) -> Bool {
        let name = name.lowercased()
        return !name.isEmpty && !reservedNames.contains(name) && !name.contains("secret")
            && !name.contains("password")
    }
}
