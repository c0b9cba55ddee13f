internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

struct TagCommand: Command {
    static let name = "tag"
    static let summary = "Change the tags of an account"
    static let help = """
        vault tag NAME [--add TEXT]... [--remove TEXT]...

        Changes what vault list --tag finds the account by; vault list --json shows the
        tags. They are sealed: the file shows which accounts have one in common, and not
        what it says. An account has at most 32.

          --add TEXT     Add a tag; one that is there already stays
          --remove TEXT  Take a tag away; one that is not there is none

        """

    private let account: AccountName
    private let added: Set<AccountTag>
    private let removed: Set<AccountTag>

    init(_ arguments: inout ArgumentReader) throws {
        added = try TagArguments.tags(&arguments, "--add")
        removed = try TagArguments.tags(&arguments, "--remove")
        account = try arguments.accountName()
        try arguments.finish()
        guard !added.isEmpty || !removed.isEmpty else {
            throw UsageError.missing("--add TEXT or --remove TEXT")
        }
    }

    func run(in context: CommandContext) throws {
        let change = ChangeTagsDocument(
            add: added.sorted().map(\.text),
            remove: removed.sorted().map(\.text)
        )
        let target = "/v1/accounts/\(account)/tags"
        _ = try context.agent.call("POST", target, body: WireJSON.encode(change))
        context.terminal.words("changed the tags of account \(account)")
    }
}
