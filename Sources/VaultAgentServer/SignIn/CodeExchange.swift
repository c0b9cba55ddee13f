internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultCrypto
internal import VaultKit

/// Turns the code that a browser brought into a stored grant (RFC 6749 §4.1.3).
struct CodeExchange: Sendable {
    /// Seconds for which storing a grant is tried.
    private static let savingLife = 30.0

    let request: SignInRequest
    let metadata: AuthorizationServerMetadata
    let redirectURI: String
    /// Nil where the provider takes no proof key.
    let codeVerifier: Secret?
    let vault: Vault
    let transport: any HTTPTransport

    func outcome(of code: Secret) async -> SignIn.Outcome {
        let client = request.client(metadata)
        let endpoint = metadata.tokenEndpoint
        let provider = request.server.provider?.entry
        let quirks = provider?.quirks ?? ProviderQuirks()
        let sent = SystemClock().now()
        do {
            // A person was at the browser since this was last proved, and a code that is not
            // exchanged costs them a second sign-in and nothing else.
            try await vault.proveWritable()
            let response = try await transport.send(
                TokenRequest.authorizationCode(
                    code,
                    redirectURI: redirectURI,
                    codeVerifier: codeVerifier,
                    client: client,
                    endpoint: endpoint,
                    extra: provider?.signIn.tokenParameters.map { ($0.name, $0.value) } ?? [],
                    format: quirks.bodyFormat ?? .form
                )
            )
            let answer = TokenResponseReader(grantType: .authorizationCode, quirks: quirks)
                .read(response, countingFrom: sent.wall, presented: code)
            switch answer {
            case .refused(let error): return .failed(VaultError(error, host: endpoint.host))
            case .granted(let granted):
                return try await keep(granted, registration(client), sent: sent)
            }
        } catch {
            return .failed(VaultError(error, account: request.name))
        }
    }

    /// Stores a grant.
    ///
    /// One that has come is not let go at once because the store does not take it; the person is
    /// there to sign in again if it never does.
    private func keep(
        _ granted: TokenResponse,
        _ registration: AccountRegistration,
        sent: Moment
    ) async throws -> SignIn.Outcome {
        let end = Uptime.seconds() + Self.savingLife
        while true {
            do {
                try await vault.signIn(registration, granted, sent: sent)
                return .ready(renewable: granted.refreshToken != nil)
            } catch let error as VaultError where Self.mayPass(error) {
                guard Uptime.seconds() < end else {
                    throw VaultError(.notSaved, account: request.name, facts: error.facts)
                }
                try await SystemClock().sleep(seconds: 1)
            }
        }
    }

    /// Whether storing may go well a moment later.
    ///
    /// A key file may come back; what somebody typed does not open new keys.
    private static func mayPass(_ error: VaultError) -> Bool {
        switch error.code {
        case .storage, .busy: true
        case .locked: error.facts[.reason] != "keys_replaced"
        default: false
        }
    }

    private func registration(_ client: Client) -> AccountRegistration {
        var registration = AccountRegistration(
            name: request.name,
            client: client,
            tokenEndpoint: metadata.tokenEndpoint,
            authorizationEndpoint: metadata.authorizationEndpoint,
            issuer: metadata.issuer ?? request.server.issuer,
            redirectURI: request.redirectURI,
            requestedScope: request.requestedScope,
            refresh: request.refresh,
            renewal: request.renewal
        )
        // The catalogue's is part of the program; a file may say something else tomorrow.
        registration.ownProvider = request.server.ownEntry
        return registration
    }
}

extension VaultError {
    /// Why a code was not exchanged.
    fileprivate init(_ answer: TokenEndpointError, host: String) {
        var facts: [Fact: String] = [
            .host: host, .status: "\(answer.status)", .reason: "code_refused",
        ]
        facts[.error] = answer.code
        facts[.errorDescription] = answer.description
        let code: Code =
            switch answer.class {
            case .clientRefused: .clientRefused
            case .requestRefused: .requestRefused
            case .throttled, .slowDown: .throttled
            default: .signInFailed
            }
        self.init(code, facts: facts)
    }
}
