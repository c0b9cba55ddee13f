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

          --json    {"schemaVersion":1,"accounts":[{"name","current","state","issuer",
                    "expiresAt","dueAt"}]}, times in RFC 3339, null where unknown

        """

    private let isJSON: Bool

    init(_ arguments: inout ArgumentReader) throws {
        isJSON = try arguments.flag("--json")
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        let now = context.clock.now()
        let accounts = try AccountListing.all(in: context.openVault(), now: now)
        guard !isJSON else {
            let document = AccountListDocument(accounts: accounts.map { AccountDocument($0) })
            return try context.terminal.data(json: document)
        }
        guard !accounts.isEmpty else {
            return context.terminal.hint("no accounts yet: vault login NAME adds one")
        }
        var table = Table(header: ["", "NAME", "STATE", "EXPIRES", "ISSUER"])
        for account in accounts {
            table.add([
                account.isCurrent ? "*" : " ", account.name.text, account.state.rawValue,
                TimeText.distance(to: account.expiry, from: now.wall),
                Printable.escaped(account.issuer ?? account.tokenEndpoint.string),
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
