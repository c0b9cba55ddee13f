internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultCrypto
internal import VaultKit

/// The sign-ins that are under way, by their random names.
final class SignIns: Sendable {
    private let vault: Vault
    private let transport: any HTTPTransport
    private let running = Locked<[String: SignIn]>([:])

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
        running.withLock { $0[signIn.id] = signIn }
        // Nobody awaits this task: it ends with the sign-in, at the latest when its time is over.
        Task { await self.see(signIn) }
        return signIn
    }

    func signIn(_ id: String) -> SignIn? {
        running.withLock { $0[id] }
    }

    func cancel(_ id: String) {
        signIn(id)?.cancel()
    }

    func cancelAll() {
        for signIn in running.withLock({ Array($0.values) }) { signIn.cancel() }
    }

    /// Stays until the sign-in has ended and whoever began it has had time to ask how.
    private func see(_ signIn: SignIn) async {
        await signIn.run()
        try? await SystemClock().sleep(seconds: SignIn.resultLife)
        running.withLock { $0[signIn.id] = nil }
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

    /// The registration, authenticating in the way the server names first among those we have.
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
        var facts: [Fact: String] = [.field: "issuer", .reason: "\(error)"]
        let code: Code
        switch error {
        case .unreachable(let failure):
            code = .unreachable
            facts[.reason] = failure.reason.rawValue
        case .unavailable(let status):
            code = .unreachable
            facts = [.field: "issuer", .status: "\(status)"]
        case .issuerInvalid, .issuerInsecure: code = .invalidInput
        case .issuerMismatch, .notFound, .redirected, .malformed, .endpointInsecure,
            .endpointMissing:
            code = .signInFailed
        }
        facts[.host] = (try? EndpointURL(issuer))?.host
        self.init(code, facts: facts)
    }
}
