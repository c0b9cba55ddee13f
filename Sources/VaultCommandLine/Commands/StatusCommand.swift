internal import FoundationEssentials
internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

struct StatusCommand: Command {
    static let name = "status"
    static let summary = "Show how accounts and agent are doing"
    static let help = """
        vault status [NAME] [--json]

        Shows the state of every account, or of one: when its token expires, when it is
        refreshed next, and what went wrong last. Nothing is sent to any server.

          --json    One object: schemaVersion, locked, agent, accounts, damaged

        """

    private let account: AccountName?
    private let isJSON: Bool

    init(_ arguments: inout ArgumentReader) throws {
        isJSON = try arguments.flag("--json")
        account = try arguments.optionalAccountName()
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        let overview = try AccountOverview.read(account, in: context)
        let agent = try context.agent.status()
        let unsaved = Set(agent?.unsaved ?? [])
        let accounts = overview.accounts.map(\.account).map { account in
            // The file cannot say this of them: it is what does not take their pair.
            unsaved.contains(account.account.name) ? account.unsaved : account
        }
        if isJSON {
            let document = StatusDocument(
                locked: overview.isLocked,
                agent: agent ?? AgentDocument(running: false, pid: nil, version: nil),
                accounts: accounts,
                damaged: overview.damaged
            )
            try context.terminal.data(json: document)
        } else {
            let now = context.clock.now().wall
            for name in unsaved.sorted() {
                context.terminal.warning(
                    "account \(name) was refreshed, and the new token could not be saved yet"
                )
            }
            let line = agent.map { "agent: \($0.words(now))" } ?? "agent: not running"
            // Said of what holds keys for long: the agent.
            let memory = agent?.memoryLocked == false ? "memory: not locked\n" : ""
            try context.terminal.data(line + "\n" + memory + table(accounts, now))
        }
        try overview.reportDamage(context.terminal)
    }

    private func table(_ accounts: [AccountStatusDocument], _ now: Date) -> String {
        guard !accounts.isEmpty else { return "" }
        var table = Table(header: ["", "NAME", "STATE", "EXPIRES", "REFRESH", "TROUBLE"])
        for status in accounts {
            let account = status.account
            table.add([
                account.current == true ? "*" : " ", account.name, account.state,
                TimeText.distance(to: account.expiresAt, from: now),
                account.dueAt.map { TimeText.distance(to: $0, from: now) } ?? "never",
                Self.trouble(status.detail),
            ])
        }
        return table.text
    }

    /// What is wrong with an account, and how often it went wrong.
    private static func trouble(_ detail: AccountStatusDocument.Detail?) -> String {
        guard let detail else { return "unknown" }
        // Columns that no seal covers.
        guard let reason = (detail.reason ?? detail.lastFailure).map(Printable.escaped) else {
            return "none"
        }
        return detail.failureCount > 1 ? "\(detail.failureCount) × \(reason)" : reason
    }
}

extension AgentDocument {
    /// A running agent in words.
    func words(_ now: Date) -> String {
        var text = "running (pid \(pid ?? 0), version \(version ?? "?"))"
        if locked == true { text += ", locked" }
        if let locksAt { text += ", locks itself \(TimeText.distance(to: locksAt, from: now))" }
        return text
    }
}

extension AccountStatusDocument {
    /// The account, with a pair that is only in the agent's memory.
    fileprivate var unsaved: AccountStatusDocument {
        with(
            state: AccountState.notSaved.rawValue,
            reason: VaultError.Code.notSaved.rawValue
        )
    }
}
