internal import Platform
internal import VaultAgentClient
internal import VaultKit

struct RenewalCommand: Command {
    static let name = "renewal"
    static let summary = "Show or change when an account is renewed by itself"
    static let help = """
        vault renewal NAME [POLICY]

        Says when the account's access token is renewed in the background, or changes
        that. Whoever asks for a token gets a good one under each policy.

          eager   At half of its life
          normal  Shortly before it expires
          manual  Never, but that a refresh token which lapses unused is used in time

        """

    private let account: AccountName
    private let policy: RenewalPolicy?

    init(_ arguments: inout ArgumentReader) throws {
        account = try arguments.accountName()
        policy = try arguments.optionalWord().map { try RenewalArgument.policy($0) }
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        guard let policy else {
            let overview = try AccountOverview.read(account, in: context)
            let known = overview.accounts.first?.account.account.renewal
            return try context.terminal.data("\(Printable.escaped(known ?? "unknown"))\n")
        }
        let target = "/v1/accounts/\(account)/renewal"
        let change = RenewalDocument(renewal: policy.rawValue)
        _ = try context.agent.call("POST", target, body: WireJSON.encode(change))
        context.terminal.words("renewal of account \(account) is \(policy.rawValue)")
    }
}
