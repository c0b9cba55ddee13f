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
    /// Who the person signs in at.
    let server: SignInServerDocument

    private let request: SignInRequest
    private let exchange: CodeExchange
    private let listener: Locked<ListeningSocket?>
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
        let provider = request.server.provider?.entry
        let authorization = AuthorizationRequest(
            endpoint: endpoint,
            clientID: request.clientID,
            redirectURI: redirectURI,
            scope: request.requestedScope,
            scopeSeparator: provider?.quirks.scopeSeparator ?? " ",
            codeChallenge: request.takesProofKey ? proofKey.codeChallenge : nil,
            extra: provider?.signIn.authorizationParameters.map { ($0.name, $0.value) } ?? []
        )
        id = Secret.randomText().reveal { $0 }
        authorizationURL = authorization.url
        self.redirectURI = redirectURI
        self.request = request
        server = request.server.document(metadata)
        exchange = CodeExchange(
            request: request,
            metadata: metadata,
            redirectURI: redirectURI,
            codeVerifier: request.takesProofKey ? proofKey.codeVerifier : nil,
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
            var limits = HTTPServerLimits()
            limits.bodyBytes = 0
            limits.connections = 16
            limits.idleSeconds = 10
            // Every server of this machine leaves its cookies here: ports share them (RFC 6265 §8.5).
            limits.connectionMemory = 256 << 10
            // What follows a request on its connection is not looked at.
            limits.keepsConnections = false
            limits.stopSeconds = 5
            let server = try HTTPServer(on: socket, limits: limits) { [self] request in
                .response(await receive(request))
            }
            await waitForOutcome()
            await server.stop()
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

    private func receive(_ request: HTTPServerRequest) async -> HTTPServerResponse {
        switch judge(request) {
        case .ignored(let status):
            return SignInPage.ignored(status: status)
        case .failed(_, let code, let description):
            var facts: [VaultError.Fact: String] = [.reason: "refused"]
            facts[.error] = code
            facts[.errorDescription] = description
            settle(.failed(VaultError(.signInFailed, facts: facts)))
            return SignInPage.failed(account: self.request.name)
        case .code(let code, _):
            let outcome = await exchange.outcome(of: code)
            settle(outcome)
            return switch outcome {
            case .ready: SignInPage.ready(account: self.request.name)
            case .failed: SignInPage.failed(account: self.request.name)
            }
        }
    }

    private func judge(_ request: HTTPServerRequest) -> AuthorizationRedirect.Judgement {
        state.withLock { state in
            // Given up already: a code that comes now stays unused.
            guard state.outcome == nil else { return .ignored(status: 410) }
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
