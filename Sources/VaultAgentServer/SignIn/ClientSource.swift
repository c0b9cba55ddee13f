internal import OAuth
internal import Platform
internal import VaultCrypto
internal import VaultKit

/// Where a sign-in has its client from: whoever asked, the account's last sign-in, or a registration
/// that the server gives to anybody (RFC 7591).
struct ClientSource: Sendable {
    /// A client, and what its registration fixes.
    struct Found: Sendable {
        let client: Client
        let redirectURI: String?
    }

    /// What a resource owner is shown as the name of a client that registered itself.
    private static let name = "vault"
    /// The redirect address that is proposed where somebody has to register a client by hand: the same
    /// each time, as not every server leaves the port open.
    private static let proposedRedirectURI = "http://127.0.0.1:8400/callback"

    let request: SignInRequest
    let metadata: AuthorizationServerMetadata

    /// The client, registered now if need be.
    ///
    /// - Parameters:
    ///   - redirectURI: Where its answers will go; nil for a device.
    ///   - transport: What sends the request for a registration.
    /// - Returns: The client, and the redirect address that its registration fixes.
    /// - Throws: `invalid_input` with the field `client_id` where there is none to be had, as `wanted`
    ///   the redirect address to register by hand, and as `console` where, if that is known.
    func client(
        redirectURI: String?,
        using transport: any HTTPTransport
    ) async throws -> Found {
        if let id = request.clientID {
            return Found(client: request.client(id, metadata), redirectURI: request.redirectURI)
        }
        guard let endpoint = metadata.registrationEndpoint else {
            throw missing(redirectURI: redirectURI, refusal: nil)
        }
        var refusal: TokenEndpointError?
        for method in methods {
            let sent = SystemClock().now()
            let response = try await transport.send(
                registration(at: endpoint, redirectURI: redirectURI, method)
            )
            switch ClientRegistration.read(response, countingFrom: sent.wall) {
            case .registered(let client):
                let fixed = request.codePage == nil ? redirectURI : nil
                return Found(client: client, redirectURI: fixed)
            case .refused(let error): refusal = error
            }
            // Nobody who wants to see a right to register, or fails, is asked for another kind.
            guard response.status == 400 else { break }
        }
        throw missing(redirectURI: redirectURI, refusal: refusal)
    }

    /// How the client is to prove itself, what comes first first.
    ///
    /// A native application keeps no secret (RFC 8252 §8.5), so none where the server lists that.
    /// Where it does not, it may register such a client and turn it away at the token endpoint
    /// (Glewlwyd); a secret that it wants all the same is sealed like any other.
    private var methods: [ClientAuthentication] {
        let known = metadata.tokenEndpointAuthMethodsSupported
        let wanted: [ClientAuthentication] = [.none, .clientSecretBasic, .clientSecretPost]
        let listed = wanted.filter { known.contains($0.rawValue) }
        return Array((listed.contains(.none) ? listed : listed.prefix(1) + [.none]).prefix(2))
    }

    private func registration(
        at endpoint: EndpointURL,
        redirectURI: String?,
        _ method: ClientAuthentication
    ) -> HTTPRequest {
        ClientRegistration.request(
            at: endpoint,
            name: Self.name,
            redirectURIs: redirectURI.map { [$0] } ?? [],
            grantTypes: [
                request.flow == .device ? .deviceCode : .authorizationCode, .refreshToken,
            ],
            authentication: method,
            scope: request.requestedScope
        )
    }

    private func missing(redirectURI: String?, refusal: TokenEndpointError?) -> VaultError {
        var facts: [VaultError.Fact: String] = [
            .field: "client_id", .reason: "missing",
            .host: EndpointURL(unchecked: metadata.issuer ?? metadata.source.string).host,
        ]
        if redirectURI != nil {
            facts[.wanted] = request.redirectURI ?? request.codePage ?? Self.proposedRedirectURI
        }
        facts[.console] = request.server.provider?.entry.signIn.console?.string
        facts[.status] = refusal.map { "\($0.status)" }
        facts[.error] = refusal?.code
        facts[.errorDescription] = refusal?.description
        return VaultError(.invalidInput, account: request.name, facts: facts)
    }
}
