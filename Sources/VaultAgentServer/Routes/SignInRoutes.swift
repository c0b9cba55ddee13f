internal import OAuth
internal import VaultAgentClient
internal import VaultCrypto
internal import VaultHTTPServer
internal import VaultKit
internal import VaultStore

extension AgentRoutes {
    /// Seconds that a question about a sign-in waits for news.
    private static let longestPoll = 25.0
    private static let signInMembers: Set = [
        "name", "issuer", "clientID", "clientSecret", "scope", "redirectURI", "renewal",
        "flow", "deviceAuthorizationEndpoint", "network", "authorizationParameters",
        "refreshParameters", "replace", "provider", "providerParameters",
        "clientAuthentication", "revocationEndpoint",
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
            renewal: try members.optional("renewal", \.text),
            replace: try members.optional("replace", \.bool),
            flow: try members.optional("flow", \.text),
            deviceAuthorizationEndpoint: try members.optional(
                "deviceAuthorizationEndpoint",
                \.text
            )
        )
        document.network = try NetworkAddition.document(members)
        let authorization = try NetworkAddition.parameters("authorizationParameters", members)
        document.authorizationParameters = authorization?.map { .init($0) }
        document.refreshParameters = try NetworkAddition.parameters("refreshParameters", members)?
            .map { .init($0) }
        document.revocationEndpoint = try members.optional("revocationEndpoint", \.text)
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
                defaults: service.configuration.defaults,
                providers: ProviderFolder(service.vault.location)
            )
        )
        return try Self.json(signIn.document(nil), status: 201)
    }

    func signIn(_ id: String, _ request: HTTPServerRequest) async throws -> HTTPServerResponse {
        guard let signIn = try service.vault.signIns().signIn(id) else { return Self.notKnown }
        let wait = min(try Self.seconds("wait", request) ?? 0, Self.longestPoll)
        return try Self.json(signIn.document(await signIn.outcome(within: wait)))
    }

    func giveRedirect(
        _ id: String,
        _ request: HTTPServerRequest
    ) async throws -> HTTPServerResponse {
        guard let signIn = try service.vault.signIns().signIn(id) else { return Self.notKnown }
        let members = try BodyMembers(request.body, known: ["redirect"])
        try await signIn.take(pasted: members.required("redirect", \.text))
        return try Self.json(signIn.document(await signIn.outcome(within: Self.longestPoll)))
    }

    private static var notKnown: HTTPServerResponse {
        failure(VaultError(.signInFailed, facts: [.reason: "not_known"]), status: 404)
    }
}

extension SignIn {
    /// As it goes over the socket.
    func document(_ outcome: Outcome?) -> SignInDocument {
        let state: SignInDocument.State =
            switch outcome {
            case nil: .waiting
            case .ready: .ready
            case .failed: .failed
            }
        var document = SignInDocument(
            id: id,
            state: state,
            flow: request.flow.rawValue,
            issuer: issuer
        )
        switch outcome {
        case nil: document.notice = notice.map { SignInDocument.Notice($0) }
        case .ready(let isRenewable): document.renewable = isRenewable
        case .failed(let error): document.error = ErrorDocument.Failure(error)
        }
        document.server = server
        way.describe(&document)
        return document
    }
}

extension BrowserWay {
    func describe(_ document: inout SignInDocument) {
        document.authorizationURL = authorizationURL.string
        document.redirectURI = redirectURI
        document.startURL = start?.url
        document.takesCode = takesCode ? true : nil
    }
}

extension DeviceWay {
    func describe(_ document: inout SignInDocument) {
        document.device = SignInDocument.Device(
            userCode: authorization.userCode,
            verificationURI: authorization.verificationURI.string,
            verificationURIComplete: authorization.verificationURIComplete?.string,
            expiresAt: end
        )
        document.device?.qrCode = qrCode
    }
}

extension SignInDocument.Notice {
    init(_ notice: SignInProgress.Notice) {
        switch notice {
        case .exchanging: self = .exchanging
        case .unreachable: self = .unreachable
        case .slowedDown: self = .slowedDown
        }
    }
}
