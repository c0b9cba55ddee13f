internal import FoundationEssentials
internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

struct ListCommand: Command {
    static let name = "list"
    static let summary = "Show the accounts"
    static let help = """
        vault list [--json]

        Shows every account; the current one is marked.

          --json    {"schemaVersion":1,"locked","accounts":[{"name","current","state",
                    "issuer","expiresAt","dueAt"}]}, times in RFC 3339, null where
                    unknown

        Of a vault that is locked it shows what the file says without a key, which
        nothing vouches for.

        """

    private let isJSON: Bool

    init(_ arguments: inout ArgumentReader) throws {
        isJSON = try arguments.flag("--json")
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        let overview = try AccountOverview.read(in: context)
        guard !isJSON else {
            let document = AccountListDocument(
                locked: overview.isLocked,
                accounts: overview.accounts.map(\.account.account)
            )
            return try context.terminal.data(json: document)
        }
        guard !overview.accounts.isEmpty else {
            return context.terminal.hint("no accounts yet: vault login NAME adds one")
        }
        var table = Table(header: ["", "NAME", "STATE", "EXPIRES", "ISSUER"])
        let now = context.clock.now().wall
        for entry in overview.accounts {
            let account = entry.account.account
            table.add([
                account.current == true ? "*" : " ", account.name, account.state,
                TimeText.distance(to: account.expiresAt, from: now),
                Printable.escaped(entry.server ?? "unknown"),
            ])
        }
        try context.terminal.data(table.text)
    }
}

/// Accounts read from the file.
enum AccountListing {
    static func all(in file: VaultFile, now: Moment) throws -> [Account] {
        let current = try file.selectedAccount()
        var accounts: [Account] = []
        while true {
            let page = try file.accounts(after: accounts.last?.name, limit: 256)
            accounts += page.map { Account($0, isCurrent: $0.id == current, now: now) }
            if page.count < 256 { return accounts }
        }
    }
}

extension AccountDocument {
    init(_ account: Account) {
        self.init(
            name: account.name.text,
            current: account.isCurrent,
            state: account.state.rawValue,
            issuer: account.issuer,
            expiresAt: account.expiry,
            dueAt: account.due
        )
    }
}

extension Terminal {
    /// Writes a document as one line.
    func data(json document: some Encodable) throws {
        try data(String(decoding: WireJSON.encode(document), as: UTF8.self) + "\n")
    }
}
