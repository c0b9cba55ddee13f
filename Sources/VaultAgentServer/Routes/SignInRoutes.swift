internal import OAuth
internal import VaultAgentClient
internal import VaultCrypto
internal import VaultHTTPServer
internal import VaultKit

extension AgentRoutes {
    /// Seconds that a question about a sign-in waits for news.
    private static let longestPoll = 25.0
    private static let signInMembers: Set = [
        "name", "issuer", "clientID", "clientSecret", "scope", "redirectURI", "renewal",
        "provider", "providerParameters", "clientAuthentication",
    ]

    func beginSignIn(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
        let members = try BodyMembers(request.body, known: Self.signInMembers)
        guard let scope = try members.texts("scope") else {
            throw VaultError(.invalidInput, facts: [.field: "scope"])
        }
        var document = BeginSignInDocument(
            name: try members.required("name", \.text),
            issuer: try members.optional("issuer", \.text),
            clientID: try members.optional("clientID", \.text),
            clientSecret: try members.optional("clientSecret", \.text),
            scope: scope,
            redirectURI: try members.optional("redirectURI", \.text),
            renewal: try members.optional("renewal", \.text)
        )
        document.provider = try members.optional("provider", \.text)
        document.providerParameters = try members.optional("providerParameters", \.textMembers)
        document.clientAuthentication = try members.optional("clientAuthentication", \.text)
        guard let name = AccountName(document.name) else {
            throw VaultError(.invalidInput, facts: [.field: "name"])
        }
        let session = try service.vault.session()
        let remembered = try await session.vault.registration(of: name)
        let signIn = try await session.signIns.begin(
            SignInRequest(
                document,
                for: name,
                remembered: remembered,
                providers: ProviderFolder(service.vault.location)
            )
        )
        return try Self.json(signIn.document(nil), status: 201)
    }

    func signIn(_ id: String, _ request: HTTPServerRequest) async throws -> HTTPServerResponse {
        guard let signIn = try service.vault.signIns().signIn(id) else {
            let error = VaultError(.signInFailed, facts: [.reason: "not_known"])
            return Self.failure(error, status: 404)
        }
        let wait = min(try Self.seconds("wait", request) ?? 0, Self.longestPoll)
        return try Self.json(signIn.document(await signIn.outcome(within: wait)))
    }
}

extension SignIn {
    /// As it goes over the socket.
    func document(_ outcome: Outcome?) -> SignInDocument {
        let state: SignInDocument.State
        var failure: ErrorDocument.Failure?
        var renewable: Bool?
        switch outcome {
        case nil: state = .waiting
        case .ready(let isRenewable):
            state = .ready
            renewable = isRenewable
        case .failed(let error):
            state = .failed
            failure = ErrorDocument.Failure(error)
        }
        var document = SignInDocument(
            id: id,
            state: state,
            authorizationURL: authorizationURL.string,
            redirectURI: redirectURI,
            error: failure,
            renewable: renewable
        )
        document.server = server
        return document
    }
}
