internal import VaultAgentClient
internal import VaultKit

/// Whether accounts' endpoints are still those that their authorization servers publish.
enum EndpointChecks {
    private static let check = "endpoints"

    /// Asks the server of each account that has one to ask.
    static func findings(_ context: CommandContext) -> [Finding] {
        let accounts: [AccountStatusDocument]
        do {
            accounts = try context.agent.call(
                "GET",
                "/v1/accounts",
                as: AccountStatusListDocument.self
            ).accounts
        } catch {
            return [.problem(check, error)]
        }
        let published = accounts.filter { listed in
            listed.account.issuer != nil && listed.account.grant != GrantKind.static.rawValue
        }
        let findings = published.compactMap { finding(on: $0.account.name, context) }
        let same = published.count - findings.count
        return findings
            + [.ok(check, "\(same) of \(published.count) accounts have those that are published")]
    }

    private static func finding(on name: String, _ context: CommandContext) -> Finding? {
        do {
            let found = try context.agent.call(
                "GET",
                "/v1/accounts/\(name)/endpoints",
                as: EndpointsDocument.self
            )
            return finding(on: name, found)
        } catch {
            let words = "account \(name): \(ErrorReport(error).line)"
            return .warning(check, words, hint: "vault provider update \(name)")
        }
    }

    /// What is said of endpoints that moved; nil where none did.
    static func finding(on name: String, _ found: EndpointsDocument) -> Finding? {
        guard !found.changes.isEmpty else { return nil }
        let moved = found.changes.map { "\($0.name) \($0.found)" }.joined(separator: ", ")
        return .warning(
            check,
            "account \(name): its authorization server publishes another \(moved)",
            hint: "vault provider update \(name) shows both, and asks"
        )
    }
}
