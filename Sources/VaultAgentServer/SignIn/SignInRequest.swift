internal import FoundationEssentials
internal import OAuth
internal import VaultAgentClient
internal import VaultCrypto
internal import VaultKit
internal import VaultStore

/// What a sign-in needs to know.
struct SignInRequest: Sendable {
    let name: AccountName
    let server: SignInServer
    let flow: SignInFlow
    /// Nil for one that is to register itself.
    let clientID: ClientID?
    let clientSecret: Secret?
    let requestedScope: Scope
    let redirectURI: String?
    /// Where the device flow begins, where discovery does not say.
    let deviceAuthorizationEndpoint: EndpointURL?
    let revocation: RevocationPlaces
    let refresh: RefreshOptions
    let network: NetworkOptions
    let authorizationParameters: [RequestParameter]
    let renewal: RenewalPolicy?
    /// Whether the account may become somebody else's.
    let replacesIdentity: Bool
    /// The way that the client was told to authenticate.
    private let authentication: ClientAuthentication?

    /// What a command asked for, completed by what the account was signed in with before.
    ///
    /// A remembered secret goes with its own client at its own issuer, and to no other; so do the
    /// options of its refreshes, which may name an endpoint.
    init(
        _ document: BeginSignInDocument,
        for name: AccountName,
        remembered: AccountRegistration?,
        defaults: AccountDefaults = AccountDefaults(),
        providers: ProviderFolder? = nil
    ) throws {
        server = try SignInServer(document, remembered: remembered, providers: providers)
        let isSameIssuer = server.isRemembered
        // A static token came from no client, by no flow.
        let remembered = remembered.flatMap { $0.grantKind == .static ? nil : $0 }
        // A client of another server is none here; that server may register one.
        let clientID =
            document.clientID ?? (isSameIssuer ? remembered?.client.id.rawValue : nil)
        let isSameClient = isSameIssuer && remembered?.client.id.rawValue == clientID
        renewal = try document.renewal.map { try .checked($0) }
        replacesIdentity = document.replace ?? false
        self.name = name
        self.clientID = clientID.map { ClientID(rawValue: $0) }
        flow =
            try Self.flow(document.flow) ?? (isSameIssuer ? remembered?.usualFlow : nil) ?? .browser
        deviceAuthorizationEndpoint =
            try document.deviceAuthorizationEndpoint.map {
                try EndpointURL.checked($0, field: "device_authorization_endpoint")
            } ?? (isSameIssuer ? remembered?.deviceAuthorizationEndpoint : nil)
            ?? server.deviceAuthorizationEndpoint
        revocation = RevocationPlaces(
            told: try document.revocationEndpoint.map {
                try EndpointURL.checked($0, field: "revocation_endpoint")
            },
            remembered: isSameIssuer ? remembered : nil
        )
        clientSecret =
            document.clientSecret.map { Secret($0) }
            ?? (isSameClient ? remembered?.client.secret : nil)
        let scope = Scope(document.scope)
        // Another server has scopes of its own.
        let usual = isSameIssuer ? remembered?.requestedScope : nil
        let asked = scope.isEmpty ? usual ?? scope : scope
        // What the provider's entry adds is for a person, and for a refresh token.
        let entry = flow.isOfPerson ? server.provider?.entry : nil
        requestedScope = entry?.scope(asked) ?? asked
        let page = server.provider?.entry.signIn.redirectURI
        redirectURI =
            (document.redirectURI ?? (isSameClient ? remembered?.redirectURI : nil))
            .flatMap { $0 == page ? nil : $0 }
        let known = isSameClient ? remembered : nil
        // What refreshes need, which the provider's entry may have added, is no business of a client
        // that asks for itself.
        let isSameKind = remembered?.usualFlow.isOfPerson == flow.isOfPerson
        let knownRefresh = isSameKind ? known?.refresh : nil
        var refresh = knownRefresh ?? RefreshOptions()
        refresh.parameters =
            document.refreshParameters?.map { RequestParameter($0.name, $0.value) }
            ?? knownRefresh?.parameters ?? defaults.refreshParameters
        if let name = server.provider?.name { refresh.provider = name }
        self.refresh = refresh
        let network = known?.network ?? defaults.network
        self.network = try document.network?.options(before: network) ?? network
        let told =
            document.authorizationParameters?.map { RequestParameter($0.name, $0.value) }
            ?? known?.authorizationParameters ?? defaults.authorizationParameters
        let names = Set(told.map(\.name))
        authorizationParameters =
            told
            + (server.provider?.entry.signIn.authorizationParameters ?? [])
            .filter { !names.contains($0.name) }
        let way = try document.clientAuthentication.map { try ClientAuthentication.checked($0) }
        let isKept = isSameClient && remembered?.client.secret != nil
        authentication = way ?? (isKept ? remembered?.client.authentication : nil)
        try checkParameters()
        // Before anybody is asked for anything.
        if flow.usesRedirect { _ = try LoopbackAddress(redirectURI) }
    }

    /// Before the person is sent to the browser, not when there is a grant to store.
    private func checkParameters() throws(VaultError) {
        guard authorizationParameters.allSatisfy({ RequestParameter.mayBeAsked($0.name) }) else {
            throw VaultError(.invalidInput, facts: [.field: "authorization_parameters"])
        }
        guard refresh.parameters.allSatisfy({ RequestParameter.mayBeNamed($0.name) }) else {
            throw VaultError(.invalidInput, facts: [.field: "refresh_parameters"])
        }
    }

    private static func flow(_ word: String?) throws -> SignInFlow? {
        guard let word else { return nil }
        guard let flow = SignInFlow(rawValue: word) else {
            throw VaultError(.invalidInput, facts: [.field: "flow"])
        }
        return flow
    }

    func discover(
        using transport: any HTTPTransport
    ) async throws -> AuthorizationServerMetadata {
        let needed: GrantType? =
            switch flow {
            case .browser, .paste: .authorizationCode
            case .device: deviceAuthorizationEndpoint == nil ? .deviceCode : nil
            case .clientCredentials: nil
            }
        let issuer: String
        switch server.source {
        case .known(var metadata):
            metadata.deviceAuthorizationEndpoint =
                deviceAuthorizationEndpoint ?? metadata.deviceAuthorizationEndpoint
            return metadata
        case .discovery(let asked): issuer = asked
        }
        let template = server.provider?.entry.quirks.issuerTemplate
        do {
            var metadata = try await AuthorizationServerMetadata.discover(
                issuer: issuer,
                for: needed,
                issuerTemplate: template,
                using: transport
            )
            if network.clientCertificate != nil { metadata = metadata.forMutualTLS }
            metadata.deviceAuthorizationEndpoint =
                deviceAuthorizationEndpoint ?? metadata.deviceAuthorizationEndpoint
            // No tenant's answers come from the issuer that stands for all of them.
            if metadata.issuer == template { metadata.issuer = nil }
            return metadata
        } catch {
            throw VaultError(error, issuer: issuer)
        }
    }

    /// The registration; its secret goes by Basic, which every server must take (RFC 6749 §2.3.1),
    /// unless somebody says otherwise: the person, the provider's entry or the server.
    func client(_ id: ClientID, _ metadata: AuthorizationServerMetadata) -> Client {
        guard let clientSecret else { return Client(id: id) }
        let usual = server.provider?.entry.clientAuthentication
        if let known = [authentication, usual].compactMap(\.self).first(where: { $0 != .none }) {
            return Client(id: id, secret: clientSecret, authentication: known)
        }
        let known = metadata.tokenEndpointAuthMethodsSupported
        let takesBasic = known.isEmpty || known.contains("client_secret_basic")
        return Client(
            id: id,
            secret: clientSecret,
            authentication: takesBasic ? .clientSecretBasic : .clientSecretPost
        )
    }
}

extension AccountRegistration {
    /// How somebody signs in to it unless told; one that was added says only what its tokens are
    /// obtained with.
    fileprivate var usualFlow: SignInFlow {
        grantKind == .clientCredentials ? .clientCredentials : signInFlow
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
