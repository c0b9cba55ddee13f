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

          --json    One object: schemaVersion, agent, accounts

        """

    private let account: AccountName?
    private let isJSON: Bool

    init(_ arguments: inout ArgumentReader) throws {
        isJSON = try arguments.flag("--json")
        account = try arguments.optionalAccountName()
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        let now = context.clock.now()
        let accounts = try accounts(in: context.openVault(), now)
        let agent = try context.agent.status()
        guard !isJSON else {
            let document = StatusDocument(
                agent: agent ?? AgentDocument(running: false, pid: nil, version: nil),
                accounts: accounts.map { AccountStatusDocument($0) }
            )
            return try context.terminal.data(json: document)
        }
        let line = agent.map { "agent: running (pid \($0.pid ?? 0), version \($0.version ?? "?"))" }
        try context.terminal.data(
            (line ?? "agent: not running") + "\n" + table(accounts, now.wall)
        )
    }

    private func accounts(in file: VaultFile, _ now: Moment) throws -> [Account] {
        guard let account else { return try AccountListing.all(in: file, now: now) }
        let stored = try file.account(named: account)
        let isCurrent = try file.selectedAccount() == stored.id
        return [Account(stored, isCurrent: isCurrent, now: now)]
    }

    private func table(_ accounts: [Account], _ now: Date) -> String {
        guard !accounts.isEmpty else { return "" }
        var table = Table(header: ["", "NAME", "STATE", "EXPIRES", "REFRESH", "FAILURES"])
        for account in accounts {
            let failures = account.lastFailure.map { "\(account.failureCount) × \($0)" } ?? "none"
            table.add([
                account.isCurrent ? "*" : " ", account.name.text, account.state.rawValue,
                TimeText.distance(to: account.expiry, from: now),
                account.due.map { TimeText.distance(to: $0, from: now) } ?? "never", failures,
            ])
        }
        return table.text
    }
}

extension AccountStatusDocument {
    init(_ account: Account) {
        self.init(
            account: AccountDocument(account),
            generation: account.generation,
            failureCount: account.failureCount,
            lastFailure: account.lastFailure
        )
    }
}
