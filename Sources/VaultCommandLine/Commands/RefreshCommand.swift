internal import FoundationEssentials
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

struct RefreshCommand: Command {
    static let name = "refresh"
    static let summary = "Renew an account's token now"
    static let help = """
        vault refresh NAME [--force]

        Has the agent renew the access token at once, whatever is left of the old one's
        life. A back-off is passed over, but not what the server asked to wait. Nothing
        is printed on standard output.

          --force    Send it although the grant is known to be refused, or while the
                     client of the account is

        """

    private let account: AccountName
    private let isForced: Bool

    init(_ arguments: inout ArgumentReader) throws {
        isForced = try arguments.flag("--force")
        account = try arguments.accountName()
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        let change = try context.agent.call(
            "POST",
            "/v1/accounts/\(account)/refresh" + (isForced ? "?force=true" : ""),
            as: ChangeDocument.self
        )
        let expires = change.account.expiresAt.map { expiry in
            "; its token expires " + TimeText.distance(to: expiry, from: context.clock.now().wall)
        }
        context.terminal.words("refreshed account \(account)\(expires ?? "")")
    }
}
