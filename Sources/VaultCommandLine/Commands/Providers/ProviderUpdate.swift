internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

/// `vault provider update`.
struct ProviderUpdate: ProviderSubcommand {
    private let account: AccountName
    private let isAgreed: Bool

    init(_ arguments: inout ArgumentReader) throws {
        isAgreed = try arguments.flag("--yes")
        account = try arguments.accountName()
    }

    func run(in context: CommandContext) throws {
        let target = "/v1/accounts/\(account)/endpoints"
        let found = try context.agent.call("GET", target, as: EndpointsDocument.self)
        guard !found.changes.isEmpty else {
            context.terminal.words("the endpoints of account \(account) are as they were")
            return
        }
        // For a person to look at: standard output stays empty where nothing comes of it.
        for line in Self.table(found).split(separator: "\n") {
            context.terminal.words(String(line))
        }
        guard try isAgreed || asks(found) else {
            throw VaultError(
                .invalidInput,
                account: account,
                facts: [.field: "endpoints", .reason: "not_agreed"]
            )
        }
        let agreed = PinEndpointsDocument(
            endpoints: Dictionary(found.changes.map { ($0.name, $0.found) }) { first, _ in first }
        )
        _ = try context.agent.call("POST", target, body: WireJSON.encode(agreed))
        context.terminal.words("account \(account) uses these endpoints from now on")
    }

    private func asks(_ found: EndpointsDocument) throws -> Bool {
        guard ControllingTerminal.isThere else { return false }
        let answer = try TerminalQuestion.ask(
            "Use these endpoints for account \(account)? Type yes: "
        )
        return answer?.lowercased() == "yes"
    }

    private static func table(_ found: EndpointsDocument) -> String {
        var table = Table(header: ["ENDPOINT", "NOW", "PUBLISHED"])
        for change in found.changes {
            table.add([change.name, change.pinned, change.found].map(Printable.escaped))
        }
        return table.text
    }
}
