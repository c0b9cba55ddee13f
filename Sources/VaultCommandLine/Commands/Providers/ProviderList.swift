internal import OAuth
internal import VaultAgentClient
internal import VaultStore

/// `vault provider list`.
struct ProviderList: ProviderSubcommand {
    private let isJSON: Bool

    init(_ arguments: inout ArgumentReader) throws {
        isJSON = try arguments.flag("--json")
    }

    func run(in context: CommandContext) throws {
        let providers = try ProviderFolder(context.location).all()
        guard !isJSON else {
            return try context.terminal.data(json: ProviderListDocument(providers))
        }
        var table = Table(header: ["PROVIDER", "NAME", "SIGN-IN", "TO BE TOLD", "FROM"])
        for provider in providers {
            let signIn = provider.entry.signIn
            table.add([
                provider.name, Printable.escaped(provider.entry.title),
                signIn.flows.isEmpty ? "-" : signIn.flows.joined(separator: ", "),
                provider.entry.parameters.keys.sorted().joined(separator: ", "),
                provider.file.map { Printable.escaped($0) } ?? "catalogue",
            ])
        }
        try context.terminal.data(table.text)
    }
}

extension ProviderSignIn {
    /// The ways to sign in that are known, by the names that vault login has for them.
    var flows: [String] {
        let browser = authorizationEndpoint ?? issuer
        return [browser.map { _ in "browser" }, deviceAuthorizationEndpoint.map { _ in "device" }]
            .compactMap(\.self)
    }
}

/// What `vault provider list --json` says.
struct ProviderListDocument: Encodable {
    let schemaVersion = WireJSON.schemaVersion
    let providers: [Entry]

    struct Entry: Encodable {
        let name: String
        let title: String
        let file: String?
        let flows: [String]
        let parameters: [String]

        enum CodingKeys: String, CodingKey {
            case name, title, file, flows, parameters
        }

        // What is not there is null, not missing.
        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(name, forKey: .name)
            try members.encode(title, forKey: .title)
            try members.encode(file, forKey: .file)
            try members.encode(flows, forKey: .flows)
            try members.encode(parameters, forKey: .parameters)
        }
    }

    init(_ providers: [KnownProvider]) {
        self.providers = providers.map { provider in
            Entry(
                name: provider.name,
                title: provider.entry.title,
                file: provider.file,
                flows: provider.entry.signIn.flows,
                parameters: provider.entry.parameters.keys.sorted()
            )
        }
    }
}
