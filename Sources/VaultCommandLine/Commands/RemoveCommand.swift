internal import VaultKit
internal import VaultStore

struct RemoveCommand: Command {
    static let name = "remove"
    static let summary = "Erase an account from the vault"
    static let help = """
        vault remove NAME

        Erases an account and its tokens from the vault. The grant itself lives on at
        the authorization server. If NAME was the current account, none is afterwards.

        """

    private let account: AccountName

    init(_ arguments: inout ArgumentReader) throws {
        account = try arguments.accountName()
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        _ = try context.agent.call("DELETE", "/v1/accounts/\(account)")
        context.terminal.words("removed account \(account)")
    }
}
