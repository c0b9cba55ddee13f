internal import OAuth
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

/// `vault client set`.
struct ClientSet: ClientSubcommand {
    private let client: String
    private let secretDescriptor: Int32
    private let tokenEndpoint: EndpointURL?
    private let authentication: ClientAuthentication?
    private let keepsOld: Bool

    init(_ arguments: inout ArgumentReader) throws {
        let descriptor = try arguments.descriptor("--client-secret-fd")
        let endpoint = try arguments.option("--token-endpoint")
        authentication = try ClientAuthenticationArgument.option(&arguments)
        keepsOld = try arguments.flag("--keep-old")
        client = try arguments.value(named: "the client's ID")
        try arguments.finish()
        guard !client.isEmpty else { throw UsageError.missing("the client's ID") }
        guard let descriptor else { throw UsageError.missing("--client-secret-fd N") }
        secretDescriptor = descriptor
        tokenEndpoint = try endpoint.map { try EndpointURL.argument($0, of: "--token-endpoint") }
    }

    func run(in context: CommandContext) throws {
        let secret = try SecretInput.line(from: secretDescriptor)
        let document = try secret.reveal { secret in
            try WireJSON.encode(
                SetClientSecretDocument(
                    clientID: client,
                    clientSecret: secret,
                    tokenEndpoint: tokenEndpoint?.string,
                    clientAuthentication: authentication?.rawValue,
                    keepsOld: keepsOld
                )
            )
        }
        let change: ClientChangeDocument
        do {
            change = try context.agent.call(
                "POST",
                "/v1/clients/secret",
                body: document,
                as: ClientChangeDocument.self
            )
        } catch let error as VaultError where error.code == .noSuchClient {
            throw noSuchClient(in: context)
        }
        let count = Plural.text(change.accounts.count, "account")
        context.terminal.words("client \(client) has the new secret, in \(count)")
        if keepsOld {
            context.terminal.hint("the old one is tried when the new one is refused")
        }
    }

    /// The error with the client that may have been meant.
    private func noSuchClient(in context: CommandContext) -> VaultError {
        // Whatever goes wrong here, the client is still not there.
        let clients = (try? ClientList.read(in: context).clients) ?? []
        var facts = [VaultError.Fact.found: client]
        facts[.host] = tokenEndpoint?.host
        facts[.wanted] = Self.nearest(to: client, in: clients.map(\.id).filter { $0 != client })
        return VaultError(.noSuchClient, facts: facts)
    }

    private static func nearest(to id: String, in ids: [String]) -> String? {
        // Two edits turn so short a word into any other.
        guard id.count > 2 else { return nil }
        return Suggestion.nearest(to: id, in: ids) ?? ids.first { $0.contains(id) }
    }
}
