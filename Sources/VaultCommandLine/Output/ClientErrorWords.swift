internal import VaultKit

/// The words for what goes wrong with clients.
extension VaultErrorWords {
    static func noSuchClient(_ facts: Facts) -> Words {
        let place = facts[.host].map { " at \($0)" } ?? ""
        return (
            "no account\(place) has the client '\(facts[.found] ?? "?")'",
            facts[.wanted].map { "did you mean '\($0)'?" } ?? "vault client list shows the clients"
        )
    }

    static func ambiguousClient(_ facts: Facts) -> Words {
        (
            "accounts at several token endpoints have this client: \(facts[.found] ?? "?")",
            "--token-endpoint URL says which is meant; nothing was changed"
        )
    }
}
