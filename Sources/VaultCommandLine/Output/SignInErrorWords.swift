internal import VaultKit

/// The words for sign-ins that came to nothing.
extension VaultErrorWords {
    static func signInFailed(_ facts: Facts) -> Words {
        let host = facts[.host] ?? "the authorization server"
        let field = facts[.field] ?? "endpoint"
        return switch facts[.reason] {
        case "timed_out":
            ("the sign-in was not finished in time", "try again")
        case "cancelled": ("the sign-in was cancelled", nil)
        case "not_known": ("the agent knows of no such sign-in: it ended meanwhile", "try again")
        case "refused": ("the authorization server refused the sign-in\(told(facts))", nil)
        case "device_denied": ("the sign-in was refused on the other device", nil)
        case "device_expired":
            ("the code was not typed and approved in time", "try again for another one")
        case "device_codes_refused":
            ("\(host) gave no code for a device\(told(facts))", "vault help login has other flows")
        case "device_refused":
            ("the authorization server gave no tokens for the code\(told(facts))", nil)
        case "credentials_refused":
            (
                "\(host) gave no token for the client's own credentials\(told(facts))",
                "the client has to be registered for the grant client_credentials"
            )
        case "code_refused":
            ("the authorization server did not exchange the code\(told(facts))", nil)
        case "issuer_mismatch":
            ("the metadata of \(host) speaks for another issuer", "check the address of --issuer")
        case "metadata_not_found":
            ("\(host) publishes no metadata", "check the address of --issuer")
        case "metadata_redirected":
            (
                "\(host) redirects who asks for its metadata, and redirects are not followed",
                "check the address of --issuer"
            )
        case "metadata_malformed": ("the metadata of \(host) makes no sense", nil)
        case "endpoint_moved":
            (
                "the authorization server publishes another \(field) than the account is bound to: "
                    + Printable.escaped(facts[.found] ?? "?"),
                "vault provider update ACCOUNT shows both, and asks"
            )
        case "endpoint_insecure": ("the \(field) of \(host) is not https", nil)
        case "endpoint_missing": ("the metadata of \(host) names no \(field)", nil)
        case let reason: ("the sign-in failed: \(reason ?? "unknown reason")\(told(facts))", nil)
        }
    }

    /// What is wrong with an address that somebody pasted.
    static func redirect(_ reason: String) -> Words {
        switch reason {
        case "other_address":
            (
                "that is not an address of the page that the browser ends on",
                "all of the address is needed: it begins with the redirect address of this sign-in"
            )
        case "not_asked_for": ("this sign-in ends in no browser", nil)
        default:
            (
                "that address is not the answer to this sign-in",
                "copy all of it, to the very end; one of an earlier sign-in does not count"
            )
        }
    }
}
