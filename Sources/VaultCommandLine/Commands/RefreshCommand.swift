internal import FoundationEssentials
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

struct RefreshCommand: Command {
    static let name = "refresh"
    static let summary = "Renew an account's token now"
    static let help = """
        vault refresh NAME

        Has the agent renew the access token at once, whatever is left of the old one's
        life. Nothing is printed on standard output.

        """

    private let account: AccountName

    init(_ arguments: inout ArgumentReader) throws {
        account = try arguments.accountName()
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        let change = try context.agent.call(
            "POST",
            "/v1/accounts/\(account)/refresh",
            as: ChangeDocument.self
        )
        let expires = change.account.expiresAt.map { expiry in
            "; its token expires " + TimeText.distance(to: expiry, from: context.clock.now().wall)
        }
        context.terminal.words("refreshed account \(account)\(expires ?? "")")
    }
}
