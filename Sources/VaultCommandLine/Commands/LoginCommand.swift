internal import OAuth
internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

struct LoginCommand: Command {
    static let name = "login"
    static let summary = "Sign in to an account in the browser"
    static let help = """
        vault login NAME --issuer URL --client-id ID [options]
        vault login NAME --provider PROVIDER --client-id ID [options]
        vault login NAME

        Signs in at an authorization server: authorization code with PKCE, and a
        redirect to this machine. An account of this name gets the new grant. What an
        account was signed in with before need not be told again.

          --issuer URL            The authorization server; its endpoints are discovered
        \(ProviderArguments.help)
          --client-id ID          Your client at that server
          --client-secret-fd N    Read the client secret from file descriptor N
          --client-auth METHOD    client_secret_basic or client_secret_post; as the
                                  provider or the server has it unless told
          --scope S               A scope to ask for; may be repeated
          --redirect-uri URI      The loopback redirect address that the client's
                                  registration fixes; unless told any free port of
                                  127.0.0.1
          --renewal POLICY        eager, normal or manual; vault help renewal has more
          --no-browser            Print the address to open on standard error

        """

    private let account: AccountName
    private let issuer: String?
    private let provider: ProviderArguments
    private let clientID: String?
    private let secretDescriptor: Int32?
    private let authentication: ClientAuthentication?
    private let scope: [String]
    private let redirectURI: String?
    private let opensBrowser: Bool
    private let renewal: RenewalPolicy?

    init(_ arguments: inout ArgumentReader) throws {
        issuer = try arguments.option("--issuer")
        provider = try ProviderArguments(&arguments)
        clientID = try arguments.option("--client-id")
        secretDescriptor = try arguments.descriptor("--client-secret-fd")
        authentication = try ClientAuthenticationArgument.option(&arguments)
        scope = try arguments.options("--scope")
        redirectURI = try arguments.option("--redirect-uri")
        opensBrowser = try !arguments.flag("--no-browser")
        renewal = try RenewalArgument.option(&arguments)
        account = try arguments.accountName()
        try arguments.finish()
        if clientID?.isEmpty == true { throw UsageError.missing("--client-id ID") }
        if let issuer { _ = try EndpointURL.argument(issuer, of: "--issuer") }
        if let redirectURI { _ = try EndpointURL.argument(redirectURI, of: "--redirect-uri") }
    }

    func run(in context: CommandContext) throws {
        let secret = try secretDescriptor.map { try SecretInput.line(from: $0) }
        var document = BeginSignInDocument(
            name: account.text,
            issuer: issuer,
            clientID: clientID,
            clientSecret: secret?.reveal { $0 },
            scope: scope,
            redirectURI: redirectURI,
            renewal: renewal?.rawValue
        )
        document.clientAuthentication = authentication?.rawValue
        try provider.complete(&document, in: context)
        let signIn = try begin(WireJSON.encode(document), context)
        SignInServerWords.show(signIn.server, context.terminal)
        show(signIn.authorizationURL, context.terminal)
        try wait(for: signIn.id, context)
    }

    private func begin(_ document: [UInt8], _ context: CommandContext) throws -> SignInDocument {
        do {
            return try context.agent.call(
                "POST",
                "/v1/sign-ins",
                body: document,
                as: SignInDocument.self
            )
        } catch let error as VaultError where error.facts[.reason] == "missing" {
            // Only the agent knows what the account was signed in with before.
            let option = error.facts[.field] == "issuer" ? "--issuer URL" : "--client-id ID"
            throw UsageError.missing(option)
        }
    }

    private func show(_ address: String, _ terminal: Terminal) {
        if opensBrowser, BrowserLauncher.open(address) {
            terminal.words("go on in the browser; if none opened, this is the address:")
        } else {
            terminal.words("open this address in a browser on this machine:")
        }
        terminal.words(Printable.escaped(address))
    }

    private func wait(for id: String, _ context: CommandContext) throws {
        while true {
            let signIn = try context.agent.call(
                "GET",
                "/v1/sign-ins/\(id)?wait=25",
                as: SignInDocument.self
            )
            switch signIn.state {
            case .waiting: continue
            case .failed:
                throw signIn.error.map { VaultError($0) } ?? VaultError(.signInFailed)
            case .ready:
                context.terminal.words("signed in: account \(account) is ready")
                ChangeReport.warn(
                    isRenewable: signIn.renewable ?? true,
                    account,
                    context.terminal
                )
                if signIn.renewable ?? true { RenewalNotice(context: context).sayOnce() }
                return
            }
        }
    }
}

/// Opens an address in the person's browser.
enum BrowserLauncher {
    private static let openers = ["/usr/bin/xdg-open", "/usr/local/bin/xdg-open"]

    /// Hands the address to a fixed program as one argument, with no shell in between; false when
    /// there is no desktop or no such program.
    static func open(_ address: String) -> Bool {
        guard Environment["DISPLAY"] != nil || Environment["WAYLAND_DISPLAY"] != nil,
            let opener = openers.first(where: { FileSystem.exists($0) })
        else { return false }
        return (try? Spawning.attached(opener, arguments: [address])) != nil
    }
}
