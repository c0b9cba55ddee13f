internal import VaultKit

/// The words for who signed in, and for signing out.
extension VaultErrorWords {
    static func signedInOrOut(_ code: VaultError.Code, _ name: String, _ facts: Facts) -> Words {
        code == .otherIdentity ? otherIdentity(name, facts) : revocationFailed(name, facts)
    }

    private static func otherIdentity(_ name: String, _ facts: Facts) -> Words {
        let found = Printable.escaped(facts[.found] ?? "somebody else")
        let wanted = Printable.escaped(facts[.wanted] ?? "another")
        let pair =
            switch facts[.reason] {
            case "revoked": "the new tokens were revoked"
            case "shared":
                "the new tokens were dropped, and not revoked: another account may need the grant"
            default: "the new tokens were dropped, and could not be revoked"
            }
        return (
            "\(found) signed in, and account '\(name)' is of \(wanted): it was left as it is, and "
                + pair,
            "vault login \(name) --replace gives it to whoever signs in then"
        )
    }

    private static func revocationFailed(_ name: String, _ facts: Facts) -> Words {
        (
            "account '\(name)' was not signed out of: \(unrevoked(facts))",
            facts[.reason] == "no_access_token"
                ? "vault refresh \(name), and sign out of it then"
                : "it is kept; vault logout \(name) --force lets go of it all the same"
        )
    }

    /// Why tokens have to be taken as alive.
    static func unrevoked(_ facts: Facts) -> String {
        let host = facts[.host] ?? "the authorization server"
        return switch facts[.reason] {
        case "no_endpoint": "no revocation endpoint is known of its authorization server"
        case "no_access_token":
            "its provider takes an access token for that, and none is good any more"
        case "static": "a token that is never renewed is revoked where it was made"
        case let reason?: "no usable answer came from \(host) (\(Printable.escaped(reason)))"
        case nil: "\(host) did not revoke its tokens\(told(facts))"
        }
    }
}
