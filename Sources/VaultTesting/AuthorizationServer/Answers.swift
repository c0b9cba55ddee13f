internal import FoundationEssentials
internal import VaultCrypto
internal import VaultHTTPServer

extension HTTPServerAnswer {
    static func status(_ status: Int) -> HTTPServerAnswer {
        .response(HTTPServerResponse(status: status))
    }
}

extension HTTPServerResponse {
    static func json(
        _ value: some Encodable,
        status: Int = 200,
        headers: [(name: String, value: String)] = []
    ) -> HTTPServerResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let body = try? encoder.encode(value) else { return HTTPServerResponse(status: 500) }
        return HTTPServerResponse(
            status: status,
            headers: [("Content-Type", "application/json")] + headers,
            body: Array(body)
        )
    }

    /// An error of RFC 6749 §5.2.
    static func oauthError(
        _ code: String,
        status: Int = 400,
        headers: [(name: String, value: String)] = []
    ) -> HTTPServerResponse {
        json(["error": code], status: status, headers: headers + [("Cache-Control", "no-store")])
    }
}

/// A successful token response (RFC 6749 §5.1); names as on the wire.
private struct TokenResponseBody: Encodable {
    let access_token: String
    let token_type = "Bearer"
    let expires_in: Int
    let refresh_token: String?
    let scope: String
}

extension AuthorizationServerCore {
    func tokenResponse(
        _ pair: TokenPair,
        withRefreshToken: Bool = true
    ) -> HTTPServerResponse {
        let body = TokenResponseBody(
            access_token: pair.accessToken.reveal { $0 },
            expires_in: max(0, Int((pair.expiry - clock()).rounded())),
            refresh_token: withRefreshToken ? pair.refreshToken.reveal { $0 } : nil,
            scope: pair.scope
        )
        return .json(body, headers: [("Cache-Control", "no-store")])
    }
}

/// Discovery (RFC 8414 §2); names as on the wire.
struct ServerMetadata: Encodable {
    let issuer: String
    let authorization_endpoint: String
    let token_endpoint: String
    let revocation_endpoint: String
    let device_authorization_endpoint: String
    let registration_endpoint: String?
    let response_types_supported = ["code"]
    let grant_types_supported = [
        "authorization_code", "refresh_token", "client_credentials",
        "urn:ietf:params:oauth:grant-type:device_code",
    ]
    let code_challenge_methods_supported = ["S256"]
    let token_endpoint_auth_methods_supported = [
        "none", "client_secret_basic", "client_secret_post",
    ]
    let authorization_response_iss_parameter_supported = true

    init(issuer: String, registers: Bool) {
        self.issuer = issuer
        authorization_endpoint = issuer + Endpoint.authorize.rawValue
        token_endpoint = issuer + Endpoint.token.rawValue
        revocation_endpoint = issuer + Endpoint.revoke.rawValue
        device_authorization_endpoint = issuer + Endpoint.deviceAuthorization.rawValue
        registration_endpoint = registers ? issuer + Endpoint.register.rawValue : nil
    }
}
