internal import OAuth
internal import VaultAgentClient
internal import VaultStore

/// What the command line says of the provider to sign in at.
struct ProviderArguments {
    static let help = """
          --provider PROVIDER     Take endpoints, scopes and the like from what is known
                                  of PROVIDER; vault provider list has them
          --provider-param NAME=VALUE
                                  What a name in the provider's endpoints stands for,
                                  such as tenant=… or shop=…
        """

    let name: String?
    private let parameters: [String: String]

    init(_ arguments: inout ArgumentReader) throws(UsageError) {
        name = try arguments.option("--provider")
        var parameters: [String: String] = [:]
        for text in try arguments.options("--provider-param") {
            guard let mark = text.firstIndex(of: "="), mark != text.startIndex else {
                throw .missing("NAME= in the value of --provider-param")
            }
            let key = String(text[..<mark])
            guard parameters[key] == nil else {
                throw .repeatedOption("--provider-param \(Printable.quoted(key))=")
            }
            parameters[key] = String(text[text.index(after: mark)...])
        }
        guard name != nil || parameters.isEmpty else { throw .missing("--provider PROVIDER") }
        self.parameters = parameters
    }

    /// What the names in the provider's endpoints stand for, as the agent wants it.
    var document: [String: String]? { parameters.isEmpty ? nil : parameters }

    /// Says what is wrong before an agent is started for it, and puts the rest into a document.
    func complete(_ document: inout BeginSignInDocument, in context: CommandContext) throws {
        // An issuer that is told stands above the provider's endpoints.
        guard let provider = try known(needsAll: document.issuer == nil, in: context) else {
            return
        }
        document.provider = provider.name
        document.providerParameters = self.document
    }

    /// The provider with what was told in place of the names in its endpoints; nil where none is told.
    ///
    /// A name may be left out where its endpoints are not needed.
    func known(needsAll: Bool, in context: CommandContext) throws -> KnownProvider? {
        guard let name else { return nil }
        let provider = try Self.provider(named: name, in: context)
        guard needsAll || !parameters.isEmpty else { return provider }
        do {
            let entry = try provider.entry.filled(parameters)
            return KnownProvider(name: name, entry: entry, file: provider.file)
        } catch {
            throw Self.usageError(error, provider)
        }
    }

    /// The provider of a name, or the name that may have been meant.
    static func provider(named name: String, in context: CommandContext) throws -> KnownProvider {
        let folder = ProviderFolder(context.location)
        if let provider = try folder.provider(named: name) { return provider }
        throw UsageError.unknownProvider(
            name,
            nearest: nearest(to: name.lowercased(), in: try folder.all().map(\.name))
        )
    }

    private static func nearest(to name: String, in names: [String]) -> String? {
        // Two edits turn so short a word into any other.
        guard name.count > 2 else { return nil }
        return Suggestion.nearest(to: name, in: names) ?? names.first { $0.contains(name) }
    }

    private static func usageError(
        _ error: ProviderParameterError,
        _ provider: KnownProvider
    ) -> UsageError {
        switch error {
        case .missing(let name):
            let words = provider.entry.parameters[name].map { " (\($0))" } ?? ""
            return .missing("--provider-param \(name)=…\(words)")
        case .unknown(let name):
            return .malformed(
                "--provider-param",
                value: name,
                wanted: "a name in the endpoints of \(provider.name)"
            )
        case .malformed(let name):
            return .malformed(
                "the value of --provider-param",
                value: name,
                wanted: "one name of a host, or one part of a path"
            )
        case .foreignHost(let name, let host):
            return .malformed(
                "the host that --provider-param \(name)= leads to",
                value: host,
                wanted: "one of \(provider.name)'s"
            )
        }
    }
}
