internal import OAuth
internal import VaultAgentClient
internal import VaultStore

/// `vault provider show`.
struct ProviderShow: ProviderSubcommand {
    private let name: String
    private let isJSON: Bool

    init(_ arguments: inout ArgumentReader) throws {
        isJSON = try arguments.flag("--json")
        name = try arguments.value(named: "the PROVIDER's name")
    }

    func run(in context: CommandContext) throws {
        let provider = try ProviderArguments.provider(named: name, in: context)
        guard !isJSON else {
            return try context.terminal.data(json: ProviderDocument(provider))
        }
        let lines = ProviderText.lines(provider)
        let width = lines.map(\.0.count).max() ?? 0
        let text = lines.map { name, value in
            let gap = String(repeating: " ", count: width - name.count + 2)
            return "\(name)\(gap)\(Printable.escaped(value))\n"
        }
        try context.terminal.data(text.joined())
    }
}

/// What `vault provider show --json` says.
struct ProviderDocument: Encodable {
    let schemaVersion = WireJSON.schemaVersion
    let name: String
    let file: String?
    let provider: ProviderCatalogue.Entry

    init(_ known: KnownProvider) {
        name = known.name
        file = known.file
        provider = known.entry
    }
}

/// A provider in words.
enum ProviderText {
    static func lines(_ provider: KnownProvider) -> [(String, String)] {
        let entry = provider.entry
        let signIn = entry.signIn
        let told = entry.parameters.sorted { $0.key < $1.key }
            .map { ("to be told", "--provider-param \($0.key)=… (\($0.value))") }
        let known: [(String, String?)] = [
            ("sign-in page", signIn.authorizationEndpoint?.text),
            ("token endpoint", entry.tokenTemplate?.text),
            ("device flow", signIn.deviceAuthorizationEndpoint?.text),
            ("revocation", signIn.revocation.map(words)),
            ("userinfo", signIn.userinfoEndpoint?.text), ("issuer", signIn.issuer?.text),
            ("refreshes go to", entry.refreshEndpoint?.string),
            ("clients are registered at", signIn.console?.string),
            ("code", signIn.displaysCode ? "shown by its page, to be pasted" : nil),
            ("redirect address", signIn.redirectURI),
            ("client authentication", entry.clientAuthentication?.rawValue),
            ("proof key", signIn.takesProofKey ? nil : "not taken"),
            ("usual scope", signIn.defaultScope.isEmpty ? nil : signIn.defaultScope.text),
            (
                "scope for renewal",
                signIn.refreshTokenScope.isEmpty ? nil : signIn.refreshTokenScope.text
            ),
            ("asked with", text(signIn.authorizationParameters)),
            ("code sent with", text(signIn.tokenParameters)),
            ("refresh sent with", text(entry.refreshParameters)),
            ("used refresh tokens", entry.rotation.map(words)),
            ("refresh token lasts unused", entry.refreshTokenIdleLifetime.map(days)),
            ("refresh token lasts at most", entry.refreshTokenLifetime.map(days)),
        ]
        return [("name", "\(entry.title) (\(provider.file ?? "catalogue"))")] + told
            + known.compactMap { name, value in value.map { (name, $0) } }
            + entry.sources.map { ("source", $0) }
    }

    private static func text(_ parameters: [RequestParameter]) -> String? {
        parameters.isEmpty
            ? nil : parameters.map { "\($0.name)=\($0.value)" }.joined(separator: ", ")
    }

    private static func words(_ revocation: ProviderRevocation) -> String {
        let form =
            switch revocation.form {
            case .standard: ""
            case .clientID: " (without the client's secret)"
            case .accessToken: " (the access token as access_token)"
            case .bearer: " (the access token in the header)"
            }
        return revocation.endpoint.text + form
    }

    private static func words(_ rotation: RefreshTokenRotation) -> String {
        switch rotation {
        case .unknown: "nobody knows"
        case .none: "stay as they are"
        case .overlap: "the one before stays good"
        case .grace(let seconds): "are taken for \(Int(seconds)) seconds more"
        case .strict: "work once"
        }
    }

    private static func days(_ seconds: Double) -> String {
        seconds < 86_400 ? "\(Int(seconds)) seconds" : "\(Int(seconds / 86_400)) days"
    }
}
