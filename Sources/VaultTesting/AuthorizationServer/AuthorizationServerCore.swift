internal import Platform
internal import VaultCrypto
internal import VaultHTTPServer

/// What the server's endpoints share: settings, ledger and script.
final class AuthorizationServerCore: Sendable {
    let settings: TestAuthorizationServer.Settings
    let issuer: String
    let clock: TestAuthorizationServer.Clock
    private let state: Locked<State>

    private struct State {
        var ledger: Ledger
        var script: [ScriptedTokenAnswer] = []
        var standing: ScriptedTokenAnswer
        var users = 0
        /// Those that registered themselves.
        var registered: [TestAuthorizationServer.Client] = []
    }

    init(
        _ settings: TestAuthorizationServer.Settings,
        issuer: String,
        clock: @escaping TestAuthorizationServer.Clock
    ) {
        self.settings = settings
        self.issuer = issuer
        self.clock = clock
        let mint = TokenMint(
            prefix: settings.tokenPrefix,
            salt: String(UInt64.random(in: .min ... .max), radix: 36),
            format: settings.accessTokenFormat,
            issuer: issuer,
            lifetime: settings.accessTokenLifetime
        )
        let ledger = Ledger(
            profile: settings.profile,
            refreshTokenLifetime: settings.refreshTokenLifetime,
            mint: mint
        )
        state = Locked(State(ledger: ledger, standing: settings.standing))
    }

    var ledger: Ledger { state.withLock { $0.ledger } }

    /// Reads or changes the ledger at one moment.
    func withLedger<Value: Sendable, Failure: Error>(
        _ body: (inout Ledger) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try state.withLock { state throws(Failure) in try body(&state.ledger) }
    }

    func issue(subject: String, client: String, scope: String) -> TokenPair {
        let now = clock()
        return withLedger { $0.issue(subject: subject, client: client, scope: scope, now: now) }
    }

    /// A name for a resource owner who gave none.
    func nextSubject() -> String {
        state.withLock { state in
            state.users += 1
            return "user-\(state.users)"
        }
    }

    // MARK: - Clients

    var clients: [TestAuthorizationServer.Client] {
        settings.clients + state.withLock { $0.registered }
    }

    func register(redirectURIs: [String], isPublic: Bool) -> TestAuthorizationServer.Client {
        state.withLock { state in
            let number = state.registered.count + 1
            let client = TestAuthorizationServer.Client(
                "registered-\(number)",
                secret: isPublic ? nil : Secret("\(settings.tokenPrefix)-secret-\(number)"),
                redirectURIs: redirectURIs
            )
            state.registered.append(client)
            return client
        }
    }

    // MARK: - Script

    func script(_ answers: [ScriptedTokenAnswer]) {
        state.withLock { $0.script += answers }
    }

    func setStanding(_ answer: ScriptedTokenAnswer) {
        state.withLock { $0.standing = answer }
    }

    func nextScripted() -> ScriptedTokenAnswer {
        state.withLock { state in
            state.script.isEmpty ? state.standing : state.script.removeFirst()
        }
    }

    // MARK: - Routes

    func answer(_ request: HTTPServerRequest) async -> HTTPServerAnswer {
        guard let endpoint = Endpoint(rawValue: request.path) else { return .status(404) }
        switch (endpoint, request.method) {
        case (.openIDConfiguration, "GET"), (.serverMetadata, "GET"):
            let registers = settings.registration != .nobody
            return .response(.json(ServerMetadata(issuer: issuer, registers: registers)))
        case (.authorize, "GET"):
            return .response(AuthorizeRoute(core: self).answer(request))
        case (.token, "POST"):
            return await TokenRoute(core: self).answer(request)
        case (.revoke, "POST"):
            return .response(RevokeRoute(core: self).answer(request))
        case (.deviceAuthorization, "POST"):
            return .response(DeviceAuthorizationRoute(core: self).answer(request))
        case (.device, "GET"):
            return .response(DevicePageRoute(core: self).answer(request))
        case (.register, "POST") where settings.registration != .nobody:
            return .response(RegisterRoute(core: self).answer(request))
        case (.whoami, "GET"):
            return .response(ResourceRoute(core: self).answer(request))
        case (.stats, "GET"), (.grant, "GET"), (.script, "POST"), (.standing, "POST"),
            (.issue, "POST"):
            return .response(ControlRoutes(core: self).answer(endpoint, request))
        default:
            return .status(405)
        }
    }
}
