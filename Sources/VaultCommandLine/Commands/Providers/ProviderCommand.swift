internal import VaultKit

struct ProviderCommand: Command {
    static let name = "provider"
    static let summary = "Show the providers that are known, and endpoints that moved"
    static let help = """
        vault provider list [--json]
        vault provider show PROVIDER [--json]
        vault provider update ACCOUNT [--yes]

        A provider is a service whose endpoints and habits are known, so that vault
        login --provider needs only your client. The vault's catalogue has many, each
        with the sources of what it says; files of your own in providers/*.json of the
        vault's directory add others, and change none of the catalogue's.

          list      Show the providers, and what vault login has to be told of each
          show      Show everything that is known of one, and where it was read
          update    Ask an account's authorization server for its endpoints again,
                    and show those that are others than the account's. They are taken
                    once you agree; an account goes nowhere else before that.

          --yes     Agree to the endpoints without being asked
          --json    list: {"schemaVersion":1,"providers":[{"name","title","file",
                    "flows","parameters"}]}; show: {"schemaVersion":1,"name","file",
                    "provider"}, the provider being as the files have it

        Exit code of update: 1 when endpoints are others and nobody agreed.

        """

    private enum Action: String, CaseIterable {
        case list
        case show
        case update
    }

    private let subcommand: any ProviderSubcommand

    init(_ arguments: inout ArgumentReader) throws {
        // It comes first, because it says which options there are.
        let word = try arguments.value(named: Self.actions)
        guard let action = Action(rawValue: word) else {
            throw UsageError.malformed("the action", value: word, wanted: Self.actions)
        }
        subcommand =
            switch action {
            case .list: try ProviderList(&arguments)
            case .show: try ProviderShow(&arguments)
            case .update: try ProviderUpdate(&arguments)
            }
        try arguments.finish()
    }

    private static let actions = "list, show or update"

    func run(in context: CommandContext) throws {
        try subcommand.run(in: context)
    }
}

/// One action of `vault provider`.
protocol ProviderSubcommand: Sendable {
    init(_ arguments: inout ArgumentReader) throws
    func run(in context: CommandContext) throws
}
