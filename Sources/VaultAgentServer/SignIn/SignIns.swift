internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultCrypto
internal import VaultKit

/// The sign-ins that are under way, by their random names.
final class SignIns: Sendable {
    private let vault: Vault
    private let transport: any HTTPTransport
    private let running = Locked<[String: Attempt]>([:])

    private struct Attempt {
        let signIn: SignIn
        /// Ends with the sign-in.
        let serving: Task<Void, Never>
    }

    init(vault: Vault, transport: any HTTPTransport) {
        self.vault = vault
        self.transport = transport
    }

    /// Whether anybody is still at a browser.
    var areWaiting: Bool { running.withLock { !$0.isEmpty } }

    /// Begins one: discovery, and a listener for the redirect.
    func begin(_ request: SignInRequest) async throws -> SignIn {
        // Better to know before the person has gone through the browser.
        try await vault.proveWritable()
        let metadata = try await request.discover(using: transport)
        let signIn = try SignIn(request, metadata, vault: vault, transport: transport)
        // Awaited by the task below and by `stop`.
        let serving = Task { await signIn.run() }
        running.withLock { $0[signIn.id] = Attempt(signIn: signIn, serving: serving) }
        // Nobody awaits this one: it forgets the sign-in, at the latest when its time is over.
        Task {
            await serving.value
            try? await SystemClock().sleep(seconds: SignIn.resultLife)
            running.withLock { $0[signIn.id] = nil }
        }
        return signIn
    }

    func signIn(_ id: String) -> SignIn? {
        running.withLock { $0[id]?.signIn }
    }

    func cancel(_ id: String) {
        signIn(id)?.cancel()
    }

    func cancelAll() {
        for attempt in running.withLock({ Array($0.values) }) { attempt.signIn.cancel() }
    }

    /// Cancels those that wait for the browser, and sees a code that is being exchanged through to
    /// the store.
    func stop() async {
        cancelAll()
        for attempt in running.withLock({ Array($0.values) }) { await attempt.serving.value }
    }
}

/// What a sign-in needs to know.
struct SignInRequest: Sendable {
    let name: AccountName
    let issuer: String
    let clientID: ClientID
    let clientSecret: Secret?
    let requestedScope: Scope
    let redirectURI: String?

    func discover(
        using transport: any HTTPTransport
    ) async throws -> AuthorizationServerMetadata {
        do {
            return try await AuthorizationServerMetadata.discover(
                issuer: issuer,
                for: .authorizationCode,
                using: transport
            )
        } catch {
            throw VaultError(error, issuer: issuer)
        }
    }

    /// The registration; its secret goes by Basic, which every server must take (RFC 6749 §2.3.1),
    /// unless the server says otherwise.
    func client(_ metadata: AuthorizationServerMetadata) -> Client {
        guard let clientSecret else { return Client(id: clientID) }
        let known = metadata.tokenEndpointAuthMethodsSupported
        let takesBasic = known.isEmpty || known.contains("client_secret_basic")
        return Client(
            id: clientID,
            secret: clientSecret,
            authentication: takesBasic ? .clientSecretBasic : .clientSecretPost
        )
    }
}

extension VaultError {
    /// Why an authorization server could not be found, in codes and facts.
    fileprivate init(_ error: DiscoveryError, issuer: String) {
        let code: Code
        var facts: [Fact: String] = [.field: "issuer"]
        switch error {
        case .unreachable(let failure):
            code = .unreachable
            facts[.reason] = failure.reason.rawValue
        case .unavailable(let status):
            code = .unreachable
            facts[.status] = "\(status)"
        case .issuerInvalid(let problem):
            code = .invalidInput
            facts[.reason] = problem?.wireName
        case .issuerInsecure:
            code = .invalidInput
            facts[.reason] = EndpointURLError.insecure.wireName
        case .issuerMismatch:
            code = .signInFailed
            facts[.reason] = "issuer_mismatch"
        case .notFound:
            code = .signInFailed
            facts[.reason] = "metadata_not_found"
        case .redirected:
            code = .signInFailed
            facts[.reason] = "metadata_redirected"
        case .malformed:
            code = .signInFailed
            facts[.reason] = "metadata_malformed"
        case .endpointInsecure(let name):
            code = .signInFailed
            facts = [.reason: "endpoint_insecure", .field: name.rawValue]
        case .endpointMissing(let name):
            code = .signInFailed
            facts = [.reason: "endpoint_missing", .field: name.rawValue]
        }
        facts[.host] = (try? EndpointURL(issuer))?.host
        self.init(code, facts: facts)
    }
}
