internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

struct AddCommand: Command {
    static let name = "add"
    static let summary = "Add an account from a token response"
    static let help = """
        vault add NAME --client-id ID --token-endpoint URL [options] < response.json
        vault add NAME --client-id ID --provider PROVIDER [options] < response.json
        vault add NAME --static [--expires DATE] [options] < token

        Reads the token response of an authorization server (RFC 6749, section 5.1) as
        JSON from standard input and keeps its tokens as account NAME.

          --token-endpoint URL    Where the access token is renewed
          --provider PROVIDER     Take what is not told from the catalogue, and read
                                  answers as it says; vault help providers has them
          --client-id ID          The client that the grant was given to
          --client-secret-fd N    Read the client secret from file descriptor N
          --client-auth METHOD    none, client_secret_basic or client_secret_post;
                                  with a secret client_secret_basic unless told
          --issuer URL            The authorization server, for showing
          --scope S               A scope that was asked for; may be repeated
          --tag TEXT              What vault list --tag finds it by; may be repeated
          --renewal POLICY        eager, normal or manual; vault help renewal has more
          --replace               Give an account of this name the new tokens in place
                                  of its own

        What its refreshes have of their own:

          --rotation KIND         What the server does with a used refresh token:
                                  none (it stays), overlap (the one before stays
                                  good), grace:SECONDS (for so long), strict (it
                                  works once) or unknown
          --send-scope            Name the scope in each refresh; some servers
                                  refuse one without
          --refresh-param NAME=VALUE
                                  Send this besides; may be repeated, and is no
                                  place for a secret
          --refresh-endpoint URL  Where refreshes go, if not to the token endpoint

        With --static standard input is the token itself, in one line: an API key or a
        personal access token, which is handed out as it is and never renewed. Of the
        options it takes --issuer, --tag, --replace and

          --expires DATE          When it ends, as 2027-01-31 (the beginning of that
                                  day, UTC) or 2027-01-31T12:00:00Z; without it the
                                  token has no end

        \(NetworkArguments.help)
        """

    private let addition: any Addition

    init(_ arguments: inout ArgumentReader) throws {
        addition =
            try arguments.flag("--static")
            ? StaticAddition(&arguments) : ResponseAddition(&arguments)
    }

    func run(in context: CommandContext) throws {
        try addition.run(in: context)
    }
}

/// One way to add an account.
protocol Addition: Sendable {
    func run(in context: CommandContext) throws
}

/// From the token response of an authorization server.
private struct ResponseAddition: Addition {
    private let account: AccountName
    private let tokenEndpoint: EndpointURL
    private let clientID: String
    private let secretDescriptor: Int32?
    private let authentication: ClientAuthentication
    private let issuer: String?
    private let scope: [String]
    private let tags: Set<AccountTag>
    private let refresh: RefreshArguments
    private let renewal: RenewalPolicy?
    private let network: NetworkArguments
    private let replaces: Bool

    init(_ arguments: inout ArgumentReader) throws {
        let endpoint = try arguments.option("--token-endpoint")
        let clientID = try arguments.option("--client-id")
        secretDescriptor = try arguments.descriptor("--client-secret-fd")
        let method = try arguments.option("--client-auth")
        issuer = try arguments.option("--issuer")
        scope = try arguments.options("--scope")
        tags = try TagArguments.tags(&arguments)
        refresh = try RefreshArguments(&arguments)
        renewal = try RenewalArgument.option(&arguments)
        network = try NetworkArguments(&arguments)
        replaces = try arguments.flag("--replace")
        account = try arguments.accountName()
        try arguments.finish()
        let provider = refresh.provider?.entry
        let told = try endpoint.map { try EndpointURL.argument($0, of: "--token-endpoint") }
        guard let tokenEndpoint = told ?? provider?.tokenEndpoint else {
            throw UsageError.missing("--token-endpoint URL")
        }
        self.tokenEndpoint = tokenEndpoint
        guard let clientID, !clientID.isEmpty else { throw UsageError.missing("--client-id ID") }
        if refresh.sendsScope, scope.isEmpty { throw UsageError.missing("--scope S") }
        if let issuer { _ = try EndpointURL.argument(issuer, of: "--issuer") }
        self.clientID = clientID
        authentication = try Self.authentication(
            method,
            hasSecret: secretDescriptor != nil,
            provider: provider
        )
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
        let secret = try secretDescriptor.map { try SecretInput.line(from: $0) }
        let response = try SecretInput.all(from: 0)
        try check(response)
        let way = try network.document()
        let document = try response.reveal { response in
            var document = AddAccountDocument(
                name: account.text,
                tokenEndpoint: tokenEndpoint.string,
                clientID: clientID,
                clientSecret: secret?.reveal { $0 },
                clientAuthentication: authentication.rawValue,
                issuer: issuer,
                scope: scope,
                tokenResponse: response,
                refresh: refresh.document,
                tags: tags.isEmpty ? nil : tags.sorted().map(\.text),
                renewal: renewal?.rawValue,
                replace: replaces ? true : nil
            )
            document.network = way
            document.authorizationParameters = network.authorizationParameters
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
        suggestProvider(context.terminal)
    }

    /// A host is no proof of who answers there, so the catalogue is only ever suggested.
    private func suggestProvider(_ terminal: Terminal) {
        let known = ProviderCatalogue.builtIn.names(forHost: tokenEndpoint.host)
        guard refresh.provider == nil, let name = known.first else { return }
        terminal.hint("\(tokenEndpoint.host) is in the catalogue: see --provider \(name)")
    }

    /// Refuses what is no token response before an agent is started for it.
    private func check(_ response: Secret) throws {
        let answer = TokenResponseReader(
            grantType: .refreshToken,
            quirks: refresh.provider?.entry.quirks ?? ProviderQuirks()
        ).read(HTTPResponse(status: 200, body: response), countingFrom: Date.now)
        guard case .granted = answer else {
            throw VaultError(.invalidInput, facts: [.field: "token_response"])
        }
    }
}

/// What is said about an account after its grant has changed.
enum ChangeReport {
    static func warn(_ change: ChangeDocument, _ account: AccountName, _ terminal: Terminal) {
        warn(isRenewable: change.renewable, account, terminal)
    }

    static func warn(isRenewable: Bool, _ account: AccountName, _ terminal: Terminal) {
        guard !isRenewable else { return }
        terminal.warning(
            "there is no refresh token: account \(account) cannot be renewed"
        )
        terminal.hint("many servers want the scope offline_access for one")
    }
}
