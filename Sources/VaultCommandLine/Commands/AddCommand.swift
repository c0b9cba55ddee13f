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
        vault add NAME --token-endpoint URL --client-id ID [options] < response.json

        Reads the token response of an authorization server (RFC 6749, section 5.1) as
        JSON from standard input and keeps its tokens as account NAME.

          --token-endpoint URL    Where the access token is renewed
          --client-id ID          The client that the grant was given to
          --client-secret-fd N    Read the client secret from file descriptor N
          --client-auth METHOD    none, client_secret_basic or client_secret_post;
                                  with a secret client_secret_basic unless told
          --issuer URL            The authorization server, for showing
          --scope S               A scope that was asked for; may be repeated

        """

    private let account: AccountName
    private let tokenEndpoint: EndpointURL
    private let clientID: String
    private let secretDescriptor: Int32?
    private let authentication: ClientAuthentication
    private let issuer: String?
    private let scope: [String]

    init(_ arguments: inout ArgumentReader) throws {
        let endpoint = try arguments.option("--token-endpoint")
        let clientID = try arguments.option("--client-id")
        secretDescriptor = try arguments.descriptor("--client-secret-fd")
        let method = try arguments.option("--client-auth")
        issuer = try arguments.option("--issuer")
        scope = try arguments.options("--scope")
        account = try arguments.accountName()
        try arguments.finish()
        guard let endpoint else { throw UsageError.missing("--token-endpoint URL") }
        guard let clientID, !clientID.isEmpty else { throw UsageError.missing("--client-id ID") }
        tokenEndpoint = try EndpointURL.argument(endpoint, of: "--token-endpoint")
        if let issuer { _ = try EndpointURL.argument(issuer, of: "--issuer") }
        self.clientID = clientID
        authentication = try Self.authentication(method, hasSecret: secretDescriptor != nil)
    }

    private static func authentication(
        _ method: String?,
        hasSecret: Bool
    ) throws(UsageError) -> ClientAuthentication {
        guard let method else { return hasSecret ? .clientSecretBasic : .none }
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
        try Self.check(response)
        let document = try response.reveal { response in
            try WireJSON.encode(
                AddAccountDocument(
                    name: account.text,
                    tokenEndpoint: tokenEndpoint.string,
                    clientID: clientID,
                    clientSecret: secret?.reveal { $0 },
                    clientAuthentication: authentication.rawValue,
                    issuer: issuer,
                    scope: scope,
                    tokenResponse: response
                )
            )
        }
        let change = try context.agent.call(
            "POST",
            "/v1/accounts",
            body: document,
            as: ChangeDocument.self
        )
        context.terminal.words("added account \(account)")
        ChangeReport.warn(change, account, context.terminal)
    }

    /// Refuses what is no token response before an agent is started for it.
    private static func check(_ response: Secret) throws {
        let answer = TokenResponseReader(grantType: .refreshToken).read(
            HTTPResponse(status: 200, body: response),
            countingFrom: Date.now
        )
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
