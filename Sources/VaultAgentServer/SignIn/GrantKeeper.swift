internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultCrypto
internal import VaultKit

/// Stores what a sign-in brought.
struct GrantKeeper: Sendable {
    /// Seconds for which storing a grant is tried.
    private static let savingLife = 30.0

    let request: SignInRequest
    let metadata: AuthorizationServerMetadata
    let client: ClientSource.Found
    let vault: Vault
    var log: AgentLog? = nil

    /// Stores a grant as the outcome of its sign-in.
    ///
    /// What comes for one that was given up by then has nobody who would use it or could end it later:
    /// it is revoked.
    func take(_ granted: TokenResponse, sent: Moment, _ progress: SignInProgress) async {
        guard progress.beginExchange() else { return await drop(granted, sent: sent) }
        progress.settle(await keep(granted, sent: sent))
    }

    private func drop(_ granted: TokenResponse, sent: Moment) async {
        var registration = registration
        registration.identity = await identity(in: granted)
        let word = await vault.drop(registration, granted, sent: sent)
        log?.write("sign_in_dropped", ["account": request.name.text, "tokens": word])
    }

    /// Stores a grant.
    ///
    /// One that has come is not let go at once because the store does not take it; the person is
    /// there to sign in again if it never does.
    func keep(
        _ granted: TokenResponse,
        sent: Moment,
        nonce: Secret? = nil
    ) async -> SignIn.Outcome {
        do {
            return try await store(granted, sent: sent, nonce)
        } catch {
            return .failed(VaultError(error, account: request.name))
        }
    }

    private func store(
        _ granted: TokenResponse,
        sent: Moment,
        _ nonce: Secret?
    ) async throws -> SignIn.Outcome {
        let end = Uptime.seconds() + Self.savingLife
        var registration = registration
        registration.identity = await identity(in: granted, nonce)
        while true {
            do {
                try await vault.signIn(
                    registration,
                    granted,
                    sent: sent,
                    replacesIdentity: request.replacesIdentity
                )
                return .ready(renewable: registration.isRenewable(after: granted))
            } catch let error as VaultError where Self.mayPass(error) {
                guard Uptime.seconds() < end else {
                    throw VaultError(.notSaved, account: request.name, facts: error.facts)
                }
                try await SystemClock().sleep(seconds: 1)
            }
        }
    }

    /// Who signed in; nobody did where the client asked for itself.
    private func identity(in granted: TokenResponse, _ nonce: Secret? = nil) async -> Identity? {
        guard request.flow.isOfPerson else { return nil }
        return await vault.identity(
            in: granted,
            of: metadata,
            client: client.client.id,
            nonce: nonce,
            requestedScope: request.requestedScope,
            network: request.network
        )
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

    /// What the account will be, but for who signs in.
    var registration: AccountRegistration {
        var registration = AccountRegistration(
            name: request.name,
            client: client.client,
            tokenEndpoint: metadata.tokenEndpoint,
            authorizationEndpoint: metadata.authorizationEndpoint,
            issuer: metadata.issuer ?? request.server.issuer,
            redirectURI: client.redirectURI,
            requestedScope: request.requestedScope,
            refresh: request.refresh,
            renewal: request.renewal,
            grantKind: request.flow.isOfPerson ? .refreshToken : .clientCredentials
        )
        registration.network = request.network
        registration.authorizationParameters = request.authorizationParameters
        (registration.revocationEndpoint, registration.revocationForm) =
            request.revocation(metadata)
        registration.userinfoEndpoint = metadata.userinfoEndpoint
        registration.signInFlow = request.flow
        registration.deviceAuthorizationEndpoint =
            request.flow == .device
            ? metadata.deviceAuthorizationEndpoint : request.deviceAuthorizationEndpoint
        // The catalogue's is part of the program; a file may say something else tomorrow.
        registration.ownProvider = request.server.ownEntry
        return registration
    }
}

extension VaultError {
    /// Why an authorization server did not give what it was asked for.
    init(_ answer: TokenEndpointError, host: String, reason: String) {
        var facts: [Fact: String] = [
            .host: host, .status: "\(answer.status)", .reason: reason,
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
