internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultAgentClient
internal import VaultCrypto
internal import VaultKit
internal import VaultStore

/// From the token response of an authorization server.
struct ResponseAddition: Addition {
    private let account: AccountName
    private let tokenEndpoint: EndpointURL?
    private let revocationEndpoint: EndpointURL?
    private let clientID: String
    private let secretDescriptor: Int32?
    private let method: String?
    private let issuer: String?
    private let scope: [String]
    private let tags: Set<AccountTag>
    private let provider: ProviderArguments
    private let refresh: RefreshArguments
    private let renewal: RenewalPolicy?
    private let network: NetworkArguments
    private let replaces: Bool

    init(_ arguments: inout ArgumentReader) throws {
        let endpoint = try arguments.option("--token-endpoint")
        let revocation = try arguments.option("--revocation-endpoint")
        let clientID = try arguments.option("--client-id")
        secretDescriptor = try arguments.descriptor("--client-secret-fd")
        method = try arguments.option("--client-auth")
        issuer = try arguments.option("--issuer")
        scope = try arguments.options("--scope")
        tags = try TagArguments.tags(&arguments)
        provider = try ProviderArguments(&arguments)
        refresh = try RefreshArguments(&arguments)
        renewal = try RenewalArgument.option(&arguments)
        network = try NetworkArguments(&arguments)
        replaces = try arguments.flag("--replace")
        account = try arguments.accountName()
        try arguments.finish()
        tokenEndpoint = try endpoint.map {
            try EndpointURL.argument($0, of: "--token-endpoint")
        }
        revocationEndpoint = try revocation.map {
            try EndpointURL.argument($0, of: "--revocation-endpoint")
        }
        guard endpoint != nil || provider.name != nil else {
            throw UsageError.missing("--token-endpoint URL")
        }
        guard let clientID, !clientID.isEmpty else { throw UsageError.missing("--client-id ID") }
        if refresh.sendsScope, scope.isEmpty { throw UsageError.missing("--scope S") }
        if let issuer { _ = try EndpointURL.argument(issuer, of: "--issuer") }
        self.clientID = clientID
        // What is wrong in any case is said before somebody looks for the provider.
        _ = try Self.authentication(method, hasSecret: secretDescriptor != nil, provider: nil)
    }

    private static func authentication(
        _ method: String?,
        hasSecret: Bool,
        provider: ProviderCatalogue.Entry?
    ) throws(UsageError) -> ClientAuthentication {
        guard let method else {
            // What the catalogue knows of a confidential client is nothing for a public one.
            let known = provider?.clientAuthentication.flatMap { $0 == .none ? nil : $0 }
            return hasSecret ? known ?? .clientSecretBasic : .none
        }
        guard let authentication = ClientAuthentication(rawValue: method) else {
            throw .malformed(
                "--client-auth",
                value: method,
                wanted: "none, client_secret_basic or client_secret_post"
            )
        }
        guard (authentication == .none) != hasSecret else {
            throw hasSecret
                ? .malformed("--client-auth", value: method, wanted: "a way to use a secret")
                : .missing("--client-secret-fd N")
        }
        return authentication
    }

    func run(in context: CommandContext) throws {
        let known = try provider.known(needsAll: tokenEndpoint == nil, in: context)
        guard let endpoint = tokenEndpoint ?? known?.entry.tokenEndpoint else {
            throw UsageError.missing("--token-endpoint URL")
        }
        let authentication = try Self.authentication(
            method,
            hasSecret: secretDescriptor != nil,
            provider: known?.entry
        )
        let secret = try secretDescriptor.map { try SecretInput.line(from: $0) }
        let response = try SecretInput.all(from: 0)
        try Self.check(response, known?.entry)
        if let known, let file = known.file {
            SignInServerWords.show(known.name, of: file, context.terminal)
        }
        let way = try network.document()
        let document = try response.reveal { response in
            var document = AddAccountDocument(
                name: account.text,
                tokenEndpoint: endpoint.string,
                clientID: clientID,
                clientSecret: secret?.reveal { $0 },
                clientAuthentication: authentication.rawValue,
                issuer: issuer,
                scope: scope,
                tokenResponse: response,
                refresh: refresh.document(provider: known?.name),
                tags: tags.isEmpty ? nil : tags.sorted().map(\.text),
                renewal: renewal?.rawValue,
                replace: replaces ? true : nil
            )
            document.network = way
            document.authorizationParameters = network.authorizationParameters
            document.providerParameters = provider.document
            document.revocationEndpoint = revocationEndpoint?.string
            return try WireJSON.encode(document)
        }
        let change = try context.agent.call(
            "POST",
            "/v1/accounts",
            body: document,
            as: ChangeDocument.self
        )
        context.terminal.words("added account \(account)")
        ChangeReport.warn(change, account, context.terminal)
        if known == nil { Self.suggestProvider(of: endpoint, context.terminal) }
    }

    /// A host is no proof of who answers there, so the catalogue is only ever suggested.
    private static func suggestProvider(of endpoint: EndpointURL, _ terminal: Terminal) {
        let known = ProviderCatalogue.builtIn.names(forHost: endpoint.host)
        guard let name = known.first else { return }
        terminal.hint("\(endpoint.host) is in the catalogue: see --provider \(name)")
    }

    /// Refuses what is no token response before an agent is started for it.
    private static func check(_ response: Secret, _ provider: ProviderCatalogue.Entry?) throws {
        let answer = TokenResponseReader(
            grantType: .refreshToken,
            quirks: provider?.quirks ?? ProviderQuirks()
        ).read(HTTPResponse(status: 200, body: response), countingFrom: Date.now)
        guard case .granted = answer else {
            throw VaultError(.invalidInput, facts: [.field: "token_response"])
        }
    }
}
