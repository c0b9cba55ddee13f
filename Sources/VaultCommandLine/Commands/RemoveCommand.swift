internal import VaultKit
internal import VaultStore

struct RemoveCommand: Command {
    static let name = "remove"
    static let summary = "Erase an account from the vault"
    static let help = """
        vault remove NAME [--purge-backups]

        Erases an account and its tokens from the vault. The grant itself lives on at
        the authorization server. If NAME was the current account, none is afterwards.
        Backups of the vault's own that still hold the account are named. Its name
        stays in the log.

          --purge-backups  Erase those backups too, with all that is in them. What a
                           disk keeps of an erased file is beyond the vault.

        """

    private let account: AccountName
    private let backups: OldBackups

    init(_ arguments: inout ArgumentReader) throws {
        backups = try OldBackups(&arguments)
        account = try arguments.accountName()
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        let id = try VaultFile(context.location).identifier(of: account)
        _ = try context.agent.call("DELETE", "/v1/accounts/\(account)")
        context.terminal.words("removed account \(account)")
        if let id { try backups.report(holding: id, of: account, in: context) }
    }
}
