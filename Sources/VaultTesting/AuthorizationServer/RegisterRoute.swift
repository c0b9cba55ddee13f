internal import FoundationEssentials
internal import VaultCrypto
internal import VaultHTTPServer

extension TestAuthorizationServer {
    /// Whom a test authorization server registers (RFC 7591).
    package enum Registration: String, Sendable {
        case nobody
        /// Any client that keeps its redirects on a loopback address.
        case anybody
        /// The same, with a secret.
        case confidential
    }
}

/// The client registration endpoint (RFC 7591 §3).
struct RegisterRoute {
    let core: AuthorizationServerCore

    func answer(_ request: HTTPServerRequest) -> HTTPServerResponse {
        guard let wanted = try? JSONDecoder().decode(Wanted.self, from: Data(request.body)) else {
            return .oauthError("invalid_client_metadata")
        }
        let isPublic = wanted.token_endpoint_auth_method == "none"
        guard !isPublic || core.settings.registration == .anybody else {
            return .oauthError("invalid_client_metadata")
        }
        let client = core.register(redirectURIs: wanted.redirect_uris ?? [], isPublic: isPublic)
        return .json(
            Registered(
                client_id: client.id,
                client_secret: client.secret?.reveal { $0 },
                token_endpoint_auth_method: wanted.token_endpoint_auth_method
            ),
            status: 201,
            headers: [("Cache-Control", "no-store")]
        )
    }

    /// Named as on the wire.
    private struct Wanted: Decodable {
        let redirect_uris: [String]?
        let token_endpoint_auth_method: String
    }

    private struct Registered: Encodable {
        let client_id: String
        let client_secret: String?
        let token_endpoint_auth_method: String
    }
}
