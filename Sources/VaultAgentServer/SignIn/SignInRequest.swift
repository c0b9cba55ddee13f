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
    let clientID: ClientID
    let clientSecret: Secret?
    let requestedScope: Scope
    let redirectURI: String?
    let refresh: RefreshOptions
    let renewal: RenewalPolicy?
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
        providers: ProviderFolder? = nil
    ) throws {
        server = try SignInServer(document, remembered: remembered, providers: providers)
        guard let clientID = document.clientID ?? remembered?.client.id.rawValue else {
            throw VaultError(.invalidInput, facts: [.field: "client_id", .reason: "missing"])
        }
        let isSameClient =
            server.isRemembered && remembered?.client.id.rawValue == clientID
        renewal = try document.renewal.map { try .checked($0) }
        self.name = name
        self.clientID = ClientID(rawValue: clientID)
        clientSecret =
            document.clientSecret.map { Secret($0) }
            ?? (isSameClient ? remembered?.client.secret : nil)
        let scope = Scope(document.scope)
        let asked = scope.isEmpty ? remembered?.requestedScope ?? scope : scope
        requestedScope = server.provider?.entry.scope(asked) ?? asked
        redirectURI = document.redirectURI ?? (isSameClient ? remembered?.redirectURI : nil)
        var refresh = (isSameClient ? remembered?.refresh : nil) ?? RefreshOptions()
        if let name = server.provider?.name { refresh.provider = name }
        self.refresh = refresh
        let told = try document.clientAuthentication.map { try ClientAuthentication.checked($0) }
        let isKept = isSameClient && remembered?.client.secret != nil
        authentication = told ?? (isKept ? remembered?.client.authentication : nil)
    }

    func discover(
        using transport: any HTTPTransport
    ) async throws -> AuthorizationServerMetadata {
        let issuer: String
        switch server.source {
        case .known(let metadata): return metadata
        case .discovery(let asked): issuer = asked
        }
        let template = server.provider?.entry.quirks.issuerTemplate
        do {
            var metadata = try await AuthorizationServerMetadata.discover(
                issuer: issuer,
                for: .authorizationCode,
                issuerTemplate: template,
                using: transport
            )
            // No tenant's answers come from the issuer that stands for all of them.
            if metadata.issuer == template { metadata.issuer = nil }
            return metadata
        } catch {
            throw VaultError(error, issuer: issuer)
        }
    }

    /// The registration; its secret goes by Basic, which every server must take (RFC 6749 §2.3.1),
    /// unless somebody says otherwise: the person, the provider's entry or the server.
    func client(_ metadata: AuthorizationServerMetadata) -> Client {
        guard let clientSecret else { return Client(id: clientID) }
        let usual = server.provider?.entry.clientAuthentication
        if let known = [authentication, usual].compactMap(\.self).first(where: { $0 != .none }) {
            return Client(id: clientID, secret: clientSecret, authentication: known)
        }
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
