internal import VaultKit

/// The words for what is wrong with a provider, and with the endpoints that it has.
extension VaultErrorWords {
    static func provider(_ facts: Facts) -> Words? {
        let found = facts[.found] ?? "?"
        return switch (facts[.field], facts[.reason]) {
        case ("endpoints", "not_agreed"):
            ("nothing was changed: nobody agreed to the endpoints", "--yes agrees to them")
        case ("issuer", "no_issuer"):
            (
                "the account's authorization server publishes no endpoints to compare with",
                "vault login --issuer URL, where there is one"
            )
        case (_, "endpoints_changed"):
            ("the authorization server publishes other endpoints by now", "try again")
        case ("provider", "unknown"):
            ("there is no provider '\(found)'", "vault provider list")
        case ("provider", "no_sign_in"):
            (
                "nothing is known of how to sign in at \(found)",
                "vault login --issuer URL, or vault add"
            )
        case ("provider_parameters", let reason?):
            (
                "--provider-param \(found)= is \(reason.replacing("_", with: " "))",
                "vault provider show \(facts[.wanted] ?? "PROVIDER")"
            )
        default: nil
        }
    }
}
