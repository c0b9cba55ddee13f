internal import OAuth
internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

struct LoginCommand: Command {
    static let name = "login"
    static let summary = "Sign in to an account"
    static let help = """
        vault login NAME --issuer URL [--client-id ID] [options]
        vault login NAME --provider PROVIDER --client-id ID [options]
        vault login NAME

        Signs in at an authorization server. An account of this name gets the new grant.
        What an account was signed in with before need not be told again. Ctrl-C leaves
        nothing behind.

          --issuer URL            The authorization server; its endpoints are discovered
        \(ProviderArguments.help)
          --client-id ID          Your client at that server. Without one, the vault
                                  registers itself where the server lets it, and else
                                  says what to register
          --flow FLOW             browser: a browser on this machine, unless told
                                  paste: a browser on another machine, as over SSH; you
                                  paste the address that it ends on
                                  device: a code that you type on another device
          --client-secret-fd N    Read the client secret from file descriptor N
          --client-auth METHOD    client_secret_basic or client_secret_post; as the
                                  provider or the server has it unless told
          --scope S               A scope to ask for; may be repeated
          --redirect-uri URI      The loopback redirect address that the client's
                                  registration fixes; unless told any free port of
                                  127.0.0.1
          --renewal POLICY        eager, normal or manual; vault help renewal has more
          --replace               The account may become somebody else's than before
          --device-authorization-endpoint URL
                                  Where the device flow begins, where the server does
                                  not publish it
          --revocation-endpoint URL
                                  Where vault logout revokes the tokens, where the
                                  server does not publish it
          --no-browser            Open no browser: print the address, and take the one
                                  that the browser ends on from the terminal or from a
                                  line of standard input
          --refresh-param NAME=VALUE
                                  Send this besides in every refresh; may be repeated,
                                  and is no place for a secret

        \(NetworkArguments.help)
        """

    private let account: AccountName
    private let issuer: String?
    private let provider: ProviderArguments
    private let clientID: String?
    private let secretDescriptor: Int32?
    private let authentication: ClientAuthentication?
    private let scope: [String]
    private let redirectURI: String?
    private let flow: SignInFlow?
    private let deviceAuthorizationEndpoint: String?
    private let revocationEndpoint: String?
    private let opensBrowser: Bool
    private let renewal: RenewalPolicy?
    private let network: NetworkArguments
    private let refreshParameters: [RequestParameter]
    private let replaces: Bool

    init(_ arguments: inout ArgumentReader) throws {
        issuer = try arguments.option("--issuer")
        provider = try ProviderArguments(&arguments)
        clientID = try arguments.option("--client-id")
        secretDescriptor = try arguments.descriptor("--client-secret-fd")
        authentication = try ClientAuthenticationArgument.option(&arguments)
        scope = try arguments.options("--scope")
        redirectURI = try arguments.option("--redirect-uri")
        opensBrowser = try !arguments.flag("--no-browser")
        flow = try Self.flow(&arguments)
        deviceAuthorizationEndpoint = try arguments.option("--device-authorization-endpoint")
        revocationEndpoint = try arguments.option("--revocation-endpoint")
        renewal = try RenewalArgument.option(&arguments)
        network = try NetworkArguments(&arguments)
        refreshParameters = try ParameterArguments.refresh(&arguments)
        replaces = try arguments.flag("--replace")
        account = try arguments.accountName()
        try arguments.finish()
        if clientID?.isEmpty == true { throw UsageError.missing("--client-id ID") }
        if let issuer { _ = try EndpointURL.argument(issuer, of: "--issuer") }
        if let redirectURI { _ = try EndpointURL.argument(redirectURI, of: "--redirect-uri") }
        if let endpoint = deviceAuthorizationEndpoint {
            _ = try EndpointURL.argument(endpoint, of: "--device-authorization-endpoint")
        }
        if let endpoint = revocationEndpoint {
            _ = try EndpointURL.argument(endpoint, of: "--revocation-endpoint")
        }
    }

    private static func flow(_ arguments: inout ArgumentReader) throws -> SignInFlow? {
        guard let word = try arguments.option("--flow") else { return nil }
        guard let flow = SignInFlow(rawValue: word) else {
            let known = SignInFlow.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError.malformed("--flow", value: word, wanted: "one of \(known)")
        }
        return flow
    }

    func run(in context: CommandContext) throws {
        let secret = try secretDescriptor.map { try SecretInput.line(from: $0) }
        let way = try network.document()
        let dialogue = try SignInDialogue(context, isElsewhere: !opensBrowser)
        let ended = try dialogue.run { registered in
            var document = BeginSignInDocument(
                name: account.text,
                issuer: issuer,
                clientID: registered?.clientID ?? clientID,
                clientSecret: secret?.reveal { $0 },
                scope: scope,
                redirectURI: registered?.redirectURI ?? redirectURI,
                renewal: renewal?.rawValue,
                replace: replaces ? true : nil,
                flow: flow?.rawValue,
                deviceAuthorizationEndpoint: deviceAuthorizationEndpoint
            )
            document.revocationEndpoint = revocationEndpoint
            document.network = way
            document.authorizationParameters = network.authorizationParameters
            document.refreshParameters = ParameterArguments.document(refreshParameters)
            document.clientAuthentication = authentication?.rawValue
            try provider.complete(&document, in: context)
            return document
        }
        guard let ended else { return }
        guard ended.state == .ready else {
            throw ended.error.map { VaultError($0) } ?? VaultError(.signInFailed)
        }
        context.terminal.words("signed in: account \(account) is ready")
        ChangeReport.warn(isRenewable: ended.renewable ?? true, account, context.terminal)
        if ended.renewable ?? true { RenewalNotice(context: context).sayOnce() }
    }
}
