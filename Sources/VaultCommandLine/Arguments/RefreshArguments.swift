internal import OAuth
internal import VaultAgentClient

/// What the command line says of an account's refreshes.
struct RefreshArguments {
    private let rotation: RefreshTokenRotation?
    private let parameters: [RequestParameter]
    let sendsScope: Bool
    private let endpoint: EndpointURL?

    init(_ arguments: inout ArgumentReader) throws(UsageError) {
        rotation = try arguments.option("--rotation").map(Self.rotation)
        parameters = try ParameterArguments.refresh(&arguments)
        sendsScope = try arguments.flag("--send-scope")
        endpoint = try arguments.option("--refresh-endpoint")
            .map { (text) throws(UsageError) in
                try EndpointURL.argument(text, of: "--refresh-endpoint")
            }
    }

    /// As the agent wants it; what nobody told is left to it and the provider's entry.
    func document(provider: String?) -> AddAccountDocument.Refresh? {
        guard
            provider != nil || rotation != nil || !parameters.isEmpty || sendsScope
                || endpoint != nil
        else { return nil }
        return AddAccountDocument.Refresh(
            provider: provider,
            rotation: rotation?.description,
            parameters: ParameterArguments.document(parameters),
            sendsScope: sendsScope ? true : nil,
            endpoint: endpoint?.string
        )
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
