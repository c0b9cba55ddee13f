internal import VaultKit

/// The words for a token that is never renewed.
extension VaultErrorWords {
    static func staticToken(_ name: String, _ facts: Facts) -> Words? {
        let hint = "vault add \(name) --static --replace stores another"
        return switch facts[.reason] {
        case "static": ("the token of account '\(name)' is never renewed", hint)
        case "token_expired":
            ("the token of account '\(name)' expired, and is never renewed", hint)
        default: nil
        }
    }
}
