internal import FoundationEssentials
internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

struct ListCommand: Command {
    static let name = "list"
    static let summary = "Show the accounts"
    static let help = """
        vault list [--tag TEXT]... [--json]

        Shows every account; the current one is marked.

          --tag TEXT  Only accounts that have this tag; of several (at most 32), all
          --json      {"schemaVersion":1,"locked","accounts":[{"name","current","state",
                      "issuer","expiresAt","dueAt","tags":[TEXT],"grant","subject",
                      "displayName"}],"damaged":[NAME]}, times in RFC 3339, null
                      where unknown

        An account whose records do not open is named, and the exit code is 8.

        Of a vault that is locked it shows what the file says without a key, which
        nothing vouches for. Tags are not in that.

        """

    private let isJSON: Bool
    private let tags: Set<AccountTag>

    init(_ arguments: inout ArgumentReader) throws {
        tags = try TagArguments.tags(&arguments)
        guard tags.count <= AccountTag.limit else {
            throw UsageError.tooMany(option: "--tag", limit: AccountTag.limit)
        }
        isJSON = try arguments.flag("--json")
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        let overview = try AccountOverview.read(tagged: tags, in: context)
        if isJSON {
            let document = AccountListDocument(
                locked: overview.isLocked,
                accounts: overview.accounts.map(\.account.account),
                damaged: overview.damaged
            )
            try context.terminal.data(json: document)
        } else {
            try show(overview, context)
        }
        try overview.reportDamage(context.terminal)
    }

    private func show(_ overview: AccountOverview, _ context: CommandContext) throws {
        guard !overview.accounts.isEmpty else {
            guard overview.damaged.isEmpty else { return }
            return context.terminal.hint(
                tags.isEmpty
                    ? "no accounts yet: vault login NAME adds one" : "no account has these tags"
            )
        }
        let people = overview.accounts.map(\.account.account).map { $0.displayName ?? $0.subject }
        // Few servers say who signed in unless they are asked for that.
        let hasPeople = people.contains { $0 != nil }
        let columns = ["", "NAME", "STATE", "EXPIRES", "ISSUER"]
        var table = Table(header: hasPeople ? columns + ["SIGNED IN"] : columns)
        let now = context.clock.now().wall
        for (entry, person) in zip(overview.accounts, people) {
            let account = entry.account.account
            let row = [
                account.current == true ? "*" : " ", account.name, account.state,
                TimeText.distance(to: account.expiresAt, from: now),
                Printable.escaped(entry.server ?? "unknown"),
            ]
            table.add(hasPeople ? row + [Printable.escaped(person ?? "unknown")] : row)
        }
        try context.terminal.data(table.text)
    }
}

/// Accounts read from the file.
enum AccountListing {
    /// Those that open, and the names of those that do not.
    static func all(
        in file: VaultFile,
        tagged tags: Set<AccountTag>,
        now: Moment
    ) throws -> (accounts: [Account], damaged: [String]) {
        let current = try file.selectedAccount()
        let refreshes = LiveRefreshes(at: file.location)
        func shown(_ account: StoredAccount) -> Account {
            Account(
                account,
                isCurrent: account.id == current,
                now: now,
                refreshes: refreshes,
                client: try? file.clientState(of: account.settings)
            )
        }
        guard tags.isEmpty else {
            let found = try TaggedAccounts.all {
                try file.accounts(tagged: tags, after: $0, limit: 256)
            }
            return (found.accounts.map(shown), found.damaged)
        }
        var (accounts, damaged): ([Account], [String]) = ([], [])
        var last: String?
        repeat {
            let page = try file.accountPage(after: last, limit: 256)
            accounts += page.accounts.map(shown)
            damaged += page.damaged
            last = page.next
        } while last != nil
        return (accounts, damaged)
    }
}

extension Terminal {
    /// Writes a document as one line.
    func data(json document: some Encodable) throws {
        try data(String(decoding: WireJSON.encode(document), as: UTF8.self) + "\n")
    }
}
