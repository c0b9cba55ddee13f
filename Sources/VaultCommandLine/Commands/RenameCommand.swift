internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

struct RenameCommand: Command {
    static let name = "rename"
    static let summary = "Give an account another name"
    static let help = """
        vault rename NAME NEW

        Its tokens, its tags and its place as the current account go along, and so does
        a refresh that is under way. The log keeps the name it had.

        """

    private let account: AccountName
    private let new: AccountName

    init(_ arguments: inout ArgumentReader) throws {
        account = try arguments.accountName()
        guard let new = try arguments.optionalAccountName() else {
            throw UsageError.missing("the account's NEW name")
        }
        self.new = new
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        let target = "/v1/accounts/\(account)/rename"
        let change = RenameDocument(name: new.text)
        _ = try context.agent.call("POST", target, body: WireJSON.encode(change))
        context.terminal.words("account \(account) is \(new) now")
        guard let other = Environment["VAULT_ACCOUNT"], other == account.text else { return }
        context.terminal.warning(
            "VAULT_ACCOUNT is set to '\(account)' here, which is no account now"
        )
    }
}
