internal import OAuth
internal import VaultAgentClient

/// What the command line says of an account's refreshes.
struct RefreshArguments {
    let provider: (name: String, entry: ProviderCatalogue.Entry)?
    private let rotation: RefreshTokenRotation?
    private let parameters: [RequestParameter]
    let sendsScope: Bool
    private let endpoint: EndpointURL?

    init(_ arguments: inout ArgumentReader) throws(UsageError) {
        provider = try arguments.option("--provider").map(Self.provider)
        rotation = try arguments.option("--rotation").map(Self.rotation)
        parameters = try ParameterArguments.refresh(&arguments)
        sendsScope = try arguments.flag("--send-scope")
        endpoint = try arguments.option("--refresh-endpoint")
            .map { (text) throws(UsageError) in
                try EndpointURL.argument(text, of: "--refresh-endpoint")
            }
    }

    /// As the agent wants it; what nobody told is left to it and the catalogue.
    var document: AddAccountDocument.Refresh? {
        guard
            provider != nil || rotation != nil || !parameters.isEmpty || sendsScope
                || endpoint != nil
        else { return nil }
        return AddAccountDocument.Refresh(
            provider: provider?.name,
            rotation: rotation?.description,
            parameters: ParameterArguments.document(parameters),
            sendsScope: sendsScope ? true : nil,
            endpoint: endpoint?.string
        )
    }

    private static func provider(
        _ name: String
    ) throws(UsageError) -> (name: String, entry: ProviderCatalogue.Entry) {
        guard let entry = ProviderCatalogue.builtIn[name] else {
            throw .unknownProvider(name, nearest: nearest(to: name.lowercased()))
        }
        return (name, entry)
    }

    private static func nearest(to name: String) -> String? {
        // Two edits turn so short a word into any other.
        guard name.count > 2 else { return nil }
        let names = ProviderCatalogue.builtIn.names
        return Suggestion.nearest(to: name, in: names) ?? names.first { $0.contains(name) }
    }

    private static func rotation(_ text: String) throws(UsageError) -> RefreshTokenRotation {
        guard let rotation = RefreshTokenRotation(text) else {
            throw .malformed(
                "--rotation",
                value: text,
                wanted: "none, overlap, grace:SECONDS, strict or unknown"
            )
        }
        return rotation
    }
}
