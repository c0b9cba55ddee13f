internal import VaultKit

/// The words for a refresh that failed.
extension VaultErrorWords {
    static func refreshFailed(_ error: VaultError, _ facts: Facts) -> Words {
        let host = facts[.host] ?? "the authorization server"
        let about = error.account.map { "account '\($0)': " } ?? ""
        let why = facts[.reason].map { " (\($0))" } ?? ""
        let again = error.retryAfter.flatMap { Int(exactly: $0.rounded(.up)) }
            .map { "it is tried again in \($0) s" }
        return switch error.code {
        case .unreachable where transport(facts[.reason]) != nil:
            (
                "\(about)\(host) was not reached: \(transport(facts[.reason])?.0 ?? "")",
                again ?? transport(facts[.reason])?.1
            )
        case .unreachable: ("\(about)\(host) was not reached\(why)\(told(facts))", again)
        case .throttled: ("\(about)\(host) asks to wait\(told(facts))", again)
        case .outcomeUnknown:
            ("\(about)\(host) gave no usable answer\(why)\(told(facts))", again)
        case .clientRefused:
            (
                "\(about)\(host) refuses the client\(told(facts))",
                "check the client id and secret (vault client set); the grant is kept"
            )
        case .massRefusal:
            (
                "\(about)\(host) refuses very many accounts of this client at once\(told(facts))",
                "that is taken for a fault of the server: every grant is kept and tried again"
            )
        case .requestRefused:
            (
                "\(about)\(host) refuses the request\(told(facts))",
                "the grant is kept; for another scope sign in again: vault login"
            )
        case .lifetimeTooShort:
            (
                "\(about)even a fresh token lives only \(facts[.found] ?? "?") s, "
                    + "asked for were \(facts[.wanted] ?? "?")", "ask for less with --min-valid"
            )
        case .scopeMissing:
            (
                "\(about)\(host) did not grant \(Printable.escaped(facts[.wanted] ?? "what was asked"))",
                "ask for less with --scope, or sign in again for more: vault login"
            )
        case .notSaved:
            (
                "\(about)refreshed, but the new token could not be saved yet",
                "make room on the disk; the agent keeps the token and tries again"
            )
        case let code: ("\(about)\(Printable.escaped(code.rawValue))", nil)
        }
    }

    /// What the server said, as far as it said something.
    static func told(_ facts: Facts) -> String {
        var parts = [facts[.error], facts[.errorDescription]].compactMap { $0 }
        if parts.isEmpty, let status = facts[.status] { parts = ["HTTP status \(status)"] }
        return parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
    }
}
