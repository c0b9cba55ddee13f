internal import VaultKit
internal import VaultStore

struct ClientCommand: Command {
    static let name = "client"
    static let summary = "Show the clients of accounts, and change their secrets"
    static let help = """
        vault client list [--json]
        vault client set ID --client-secret-fd N [options]

        A client is an application that was registered at an authorization server; any
        number of accounts may be signed in with the same one.

          list      Show each client, how many accounts it has, and how it fares
          set       Give client ID another secret, in all its accounts at once; those
                    that waited because the client was refused are renewed now

          --client-secret-fd N    Read the new secret from file descriptor N
          --token-endpoint URL    Which client, where those of several servers happen
                                  to have one ID
          --client-auth METHOD    client_secret_basic or client_secret_post; as before
                                  unless told
          --keep-old              Try the old secret when the new one is refused: a
                                  server may take a while to learn it
          --json                  {"schemaVersion":1,"clients":[{"id","tokenEndpoint",
                                  "accounts","authentication","otherSecret","state",
                                  "since","nextTryAt","pausedUntil","rotation",
                                  "rotationSource"}],"damaged":[NAME]}

        A client is ok; refused by its server; doubted, as so many of its grants were
        refused at once that the server is not believed; or paused, as the server asked.

        """

    private enum Action: String, CaseIterable {
        case list
        case set
    }

    private let subcommand: any ClientSubcommand

    init(_ arguments: inout ArgumentReader) throws {
        // It comes first, because it says which options there are.
        let word = try arguments.value(named: Self.actions)
        guard let action = Action(rawValue: word) else {
            throw UsageError.malformed("the action", value: word, wanted: Self.actions)
        }
        subcommand =
            switch action {
            case .list: try ClientList(&arguments)
            case .set: try ClientSet(&arguments)
            }
        try arguments.finish()
    }

    private static let actions = "list or set"

    func run(in context: CommandContext) throws {
        try subcommand.run(in: context)
    }
}

/// One action of `vault client`.
protocol ClientSubcommand: Sendable {
    init(_ arguments: inout ArgumentReader) throws
    func run(in context: CommandContext) throws
}
