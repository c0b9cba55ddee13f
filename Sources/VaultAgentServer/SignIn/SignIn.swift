internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultAgentClient
internal import VaultCrypto
internal import VaultHTTPServer
internal import VaultKit

/// One sign-in: waits on a loopback address for the browser, exchanges the code, stores the grant.
///
/// Authorization code with PKCE S256 (RFC 7636) and a redirect to a literal loopback address
/// (RFC 8252 §7.3). The state is compared before anything else is looked at, and whatever else
/// arrives there changes nothing.
final class SignIn: Sendable {
    /// Seconds a person has to come back from the browser.
    static let life = 600.0
    /// Seconds without a question from the command after which nobody is waiting any more.
    static let unattendedLife = 90.0
    /// Seconds that the outcome can be asked for.
    static let resultLife = 60.0

    let id: String
    let authorizationURL: EndpointURL
    let redirectURI: String

    private let request: SignInRequest
    private let exchange: CodeExchange
    private let listener: Locked<LoopbackListener?>
    private let start: BrowserStart
    private let state: Locked<State>

    private struct State {
        var redirect: AuthorizationRedirect
        var outcome: Outcome?
        /// A code came back: from now on only its exchange decides.
        var isExchanging = false
        var lastAsked = Uptime.seconds()
    }

    /// How it ended.
    enum Outcome: Sendable {
        case ready(renewable: Bool)
        case failed(VaultError)
    }

    init(
        _ request: SignInRequest,
        _ metadata: AuthorizationServerMetadata,
        vault: Vault,
        transport: any HTTPTransport
    ) throws {
        guard let endpoint = metadata.authorizationEndpoint else {
            throw VaultError(
                .signInFailed,
                facts: [.reason: "endpoint_missing", .field: "authorization_endpoint"]
            )
        }
        let address = try LoopbackAddress(request.redirectURI)
        let socket = try address.listen()
        let redirectURI = address.redirectURI(port: socket.port)
        let proofKey = ProofKey.make()
        let authorization = AuthorizationRequest(
            endpoint: endpoint,
            clientID: request.clientID,
            redirectURI: redirectURI,
            scope: request.requestedScope,
            codeChallenge: proofKey.codeChallenge,
            extra: request.authorizationParameters.map { ($0.name, $0.value) }
        )
        id = Secret.randomText().reveal { $0 }
        authorizationURL = authorization.url
        self.redirectURI = redirectURI
        start = BrowserStart(authorization.url, address: address.literal, port: socket.port)
        self.request = request
        exchange = CodeExchange(
            request: request,
            metadata: metadata,
            redirectURI: redirectURI,
            codeVerifier: proofKey.codeVerifier,
            vault: vault,
            transport: transport
        )
        listener = Locked(socket)
        state = Locked(
            State(
                redirect: AuthorizationRedirect(
                    redirectURI: EndpointURL(unchecked: redirectURI),
                    state: authorization.state,
                    issuer: metadata.issuer,
                    isIssuerRequired: metadata.authorizationResponseIssParameterSupported
                )
            )
        )
    }

    // MARK: - Waiting

    /// Serves the redirect address until there is an outcome.
    func run() async {
        let socket = listener.withLock { listener in
            defer { listener = nil }
            return listener
        }
        guard let socket else { return }
        do {
            let servers = try socket.serve { [self] in await receive($0) }
            await waitForOutcome()
            await servers.stop()
        } catch {
            settle(.failed(VaultError(error)))
        }
    }

    private func waitForOutcome() async {
        let start = Uptime.seconds()
        let clock = SystemClock()
        while outcome == nil {
            let now = Uptime.seconds()
            let lastAsked = state.withLock { $0.lastAsked }
            if now - start > Self.life || now - lastAsked > Self.unattendedLife {
                giveUp("timed_out")
            }
            try? await clock.sleep(seconds: 0.1)
        }
    }

    var outcome: Outcome? { state.withLock { $0.outcome } }

    /// Waits up to some seconds for the outcome, for a command that asks.
    func outcome(within seconds: Double) async -> Outcome? {
        let end = Uptime.seconds() + seconds
        while true {
            let outcome = state.withLock { state in
                state.lastAsked = Uptime.seconds()
                return state.outcome
            }
            guard outcome == nil, Uptime.seconds() < end else { return outcome }
            // Cancelled, there is nobody left to tell.
            guard (try? await SystemClock().sleep(seconds: 0.05)) != nil else { return nil }
        }
    }

    func cancel() {
        giveUp("cancelled")
    }

    /// Ends the wait for the browser.
    ///
    /// A code that is being exchanged is spent: what it brings is stored, and told.
    private func giveUp(_ reason: String) {
        state.withLock { state in
            guard state.outcome == nil, !state.isExchanging else { return }
            state.outcome = .failed(VaultError(.signInFailed, facts: [.reason: reason]))
        }
    }

    /// The first outcome counts.
    private func settle(_ outcome: Outcome) {
        state.withLock { state in
            if state.outcome == nil { state.outcome = outcome }
        }
    }

    // MARK: - The redirect

    /// Where to start the browser.
    var startURL: String { start.url }

    private func receive(_ request: HTTPServerRequest) async -> HTTPServerResponse {
        if let answer = start.answer(to: request) { return answer }
        switch judge(request) {
        case .ignored(let status):
            return SignInPage.ignored(status: status)
        case .failed(_, let code, let description):
            var facts: [VaultError.Fact: String] = [.reason: "refused"]
            facts[.error] = code
            facts[.errorDescription] = description
            let error = VaultError(.signInFailed, facts: facts)
            settle(.failed(error))
            return SignInPage.failed(account: self.request.name, error)
        case .code(let code, _):
            let outcome = await exchange.outcome(of: code)
            settle(outcome)
            return switch outcome {
            case .ready: SignInPage.ready(account: self.request.name)
            case .failed(let error): SignInPage.failed(account: self.request.name, error)
            }
        }
    }

    private func judge(_ request: HTTPServerRequest) -> AuthorizationRedirect.Judgement {
        state.withLock { state in
            // Given up already: a code that comes now stays unused.
            guard state.outcome == nil else {
                let isRedirect = request.path == EndpointURL(unchecked: redirectURI).path
                return .ignored(status: isRedirect ? 410 : 404)
            }
            let judgement = state.redirect.judge(
                method: request.method,
                target: request.target,
                host: request.header("Host")
            )
            if case .code = judgement { state.isExchanging = true }
            return judgement
        }
    }
}
