internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

struct SwitchCommand: Command {
    static let name = "switch"
    static let summary = "Choose the account that is used when none is named"
    static let help = """
        vault switch NAME

        Makes NAME the current account: at once, without asking any server.
        VAULT_ACCOUNT in the environment still comes before it.

        """

    private let account: AccountName

    init(_ arguments: inout ArgumentReader) throws {
        account = try arguments.accountName()
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        do {
            try context.openVault().select(account)
        } catch StoreError.locked(let reason) {
            let target = "/v1/accounts/\(account)/select"
            guard try context.agent.callUnlocked("POST", target) != nil else {
                throw StoreError.locked(reason)
            }
        }
        context.terminal.words("\(account) is the current account")
        if let other = Environment["VAULT_ACCOUNT"], other != account.text {
            context.terminal.warning(
                "VAULT_ACCOUNT is set to '\(Printable.escaped(other))' here and comes first"
            )
        }
    }
}
