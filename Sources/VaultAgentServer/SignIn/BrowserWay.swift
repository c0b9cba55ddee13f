internal import OAuth
internal import Platform
internal import VaultCrypto
internal import VaultHTTPServer
internal import VaultKit

/// Waits on a loopback address for the browser, exchanges the code, stores the grant.
///
/// Authorization code with PKCE S256 (RFC 7636) and a redirect to a literal loopback address
/// (RFC 8252 §7.3). The state is compared before anything else is looked at, and whatever else
/// arrives there changes nothing. What a person pastes is judged by the same judge: a browser on
/// another machine ends on an address that leads nowhere there. Where the provider's own page shows
/// the code there is nothing to listen for, and pasting it is all there is.
final class BrowserWay: SignInWay {
    let authorizationURL: EndpointURL
    let redirectURI: String

    private let account: AccountName
    private let exchange: CodeExchange
    /// Whether the code alone may be pasted.
    let takesCode: Bool
    /// Nil where no listener of ours could lead on.
    let start: BrowserStart?
    private let listener: Locked<LoopbackListener?>
    private let redirect: Locked<AuthorizationRedirect>

    init(
        _ request: SignInRequest,
        _ metadata: AuthorizationServerMetadata,
        vault: Vault,
        transport: any HTTPTransport
    ) async throws {
        guard let endpoint = metadata.authorizationEndpoint else {
            throw VaultError(
                .signInFailed,
                facts: [.reason: "endpoint_missing", .field: "authorization_endpoint"]
            )
        }
        let page = request.codePage
        let address = try LoopbackAddress(request.redirectURI)
        let socket = page == nil ? try await Self.listen(at: address) : nil
        let redirectURI = page ?? address.redirectURI(port: socket?.port ?? 0)
        // A client that registers itself is registered with this very address.
        let client = try await ClientSource(request: request, metadata: metadata)
            .client(redirectURI: redirectURI, using: transport)
        let proofKey = ProofKey.make()
        let provider = request.server.provider?.entry
        let authorization = AuthorizationRequest(
            endpoint: endpoint,
            clientID: client.client.id,
            redirectURI: redirectURI,
            scope: request.requestedScope,
            scopeSeparator: provider?.quirks.scopeSeparator ?? " ",
            codeChallenge: request.takesProofKey ? proofKey.codeChallenge : nil,
            extra: request.authorizationParameters.map { ($0.name, $0.value) }
        )
        authorizationURL = authorization.url
        self.redirectURI = redirectURI
        takesCode = request.takesCode
        start = socket.map { socket in
            BrowserStart(authorization.url, address: address.literal, port: socket.port)
        }
        account = request.name
        exchange = CodeExchange(
            keeper: GrantKeeper(request: request, metadata: metadata, client: client, vault: vault),
            redirectURI: redirectURI,
            codeVerifier: request.takesProofKey ? proofKey.codeVerifier : nil,
            nonce: authorization.nonce,
            transport: transport
        )
        listener = Locked(socket)
        redirect = Locked(
            AuthorizationRedirect(
                redirectURI: EndpointURL(unchecked: redirectURI),
                state: authorization.state,
                issuer: metadata.issuer,
                isIssuerRequired: metadata.authorizationResponseIssParameterSupported,
                takesCode: request.takesCode
            )
        )
    }

    /// Seconds that a port is waited for: the last sign-in of a client whose registration fixes it has
    /// just ended, and its listener ends a moment later.
    private static let portLife = 2.0

    private static func listen(at address: LoopbackAddress) async throws -> LoopbackListener {
        let end = Uptime.seconds() + portLife
        while true {
            do {
                return try address.listen()
            } catch let error as VaultError where error.code == .busy && Uptime.seconds() < end {
                try await SystemClock().sleep(seconds: 0.05)
            }
        }
    }

    /// Serves the redirect address until there is an outcome.
    func run(_ progress: SignInProgress) async {
        let socket = listener.withLock { listener in
            defer { listener = nil }
            return listener
        }
        guard let socket else { return await progress.waitForOutcome() }
        do {
            let servers = try socket.serve { [self] in await receive($0, progress) }
            await progress.waitForOutcome()
            await servers.stop()
        } catch {
            progress.settle(.failed(VaultError(error)))
        }
    }

    // MARK: - The redirect

    private func receive(
        _ request: HTTPServerRequest,
        _ progress: SignInProgress
    ) async -> HTTPServerResponse {
        if let answer = start?.answer(to: request) { return answer }
        // Not its address: a settled sign-in has nothing to say of that.
        let isRedirect = request.path == EndpointURL(unchecked: redirectURI).path
        guard isRedirect || progress.outcome == nil else { return SignInPage.ignored(status: 404) }
        let judgement = judge(progress) { redirect in
            redirect.judge(
                method: request.method,
                target: request.target,
                host: request.header("Host")
            )
        }
        if case .ignored(let status) = judgement { return SignInPage.ignored(status: status) }
        return switch await outcome(of: judgement, progress) {
        case .ready: SignInPage.ready(account: account)
        case .failed(let error): SignInPage.failed(account: account, error)
        case nil: SignInPage.failed(account: account, VaultError(.signInFailed))
        }
    }

    /// Takes an address that was copied from a browser on another machine, or a code that it shows.
    func take(pasted address: String, _ progress: SignInProgress) async throws {
        let judgement = judge(progress) { $0.judge(pasted: address) }
        if case .ignored(let status) = judgement {
            // Whatever came first is on its way, or told already.
            guard status != 410 else { return }
            let reason = [404, 421].contains(status) ? "other_address" : "not_the_answer"
            throw VaultError(.invalidInput, facts: [.field: "redirect", .reason: reason])
        }
        _ = await outcome(of: judgement, progress)
    }

    private func judge(
        _ progress: SignInProgress,
        _ judge: (inout AuthorizationRedirect) -> AuthorizationRedirect.Judgement
    ) -> AuthorizationRedirect.Judgement {
        redirect.withLock { redirect in
            // Given up already: a code that comes now stays unused.
            guard progress.outcome == nil else { return .ignored(status: 410) }
            let judgement = judge(&redirect)
            if case .code = judgement, !progress.beginExchange() { return .ignored(status: 410) }
            return judgement
        }
    }

    /// What an answer comes to, which is the sign-in's outcome.
    private func outcome(
        of judgement: AuthorizationRedirect.Judgement,
        _ progress: SignInProgress
    ) async -> SignIn.Outcome? {
        switch judgement {
        case .ignored: break
        case .failed(_, let code, let description):
            var facts: [VaultError.Fact: String] = [.reason: "refused"]
            facts[.error] = code
            facts[.errorDescription] = description
            progress.settle(.failed(VaultError(.signInFailed, facts: facts)))
        case .code(let code, _):
            progress.settle(await exchange.outcome(of: code))
        }
        return progress.outcome
    }
}
