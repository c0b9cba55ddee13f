internal import VaultKit

/// The words for a token that is never renewed.
extension VaultErrorWords {
    static func isStatic(_ facts: Facts) -> Bool {
        ["static", "token_expired"].contains(facts[.reason])
    }

    static func staticToken(_ name: String, _ facts: Facts) -> Words {
        (
            facts[.reason] == "token_expired"
                ? "the token of account '\(name)' expired, and is never renewed"
                : "the token of account '\(name)' is never renewed",
            "vault add \(name) --static --replace stores another"
        )
    }
}
