import FoundationEssentials
import OAuth
import VaultCrypto
import VaultHTTP
import VaultTesting

/// Speaks to a test authorization server as a client would.
struct TestClient {
    let server: TestAuthorizationServer
    let transport = CurlTransport()

    func get(_ url: String, headers: [HTTPHeader] = []) async throws -> HTTPResponse {
        try await transport.send(HTTPRequest(.get, EndpointURL(unchecked: url), headers: headers))
    }

    func post(
        _ url: String,
        _ body: String,
        headers: [HTTPHeader] = []
    ) async throws(HTTPTransportError) -> HTTPResponse {
        try await transport.send(
            HTTPRequest(.post, EndpointURL(unchecked: url), headers: headers, body: Secret(body))
        )
    }

    func refresh(
        _ token: Secret,
        client: String = "test-public"
    ) async throws(HTTPTransportError) -> HTTPResponse {
        let body = token.reveal {
            "grant_type=refresh_token&client_id=\(client)&refresh_token=\($0)"
        }
        return try await post(server.tokenEndpoint, body)
    }

    func whoami(_ accessToken: Secret) async throws -> HTTPResponse {
        try await get(
            server.protectedResource,
            headers: [HTTPHeader("Authorization", accessToken.reveal { "Bearer \($0)" })]
        )
    }
}

/// The fields of a token response or of an error.
struct TokenBody: Decodable {
    let access_token: String?
    let refresh_token: String?
    let token_type: String?
    let expires_in: Int?
    let scope: String?
    let error: String?
}

extension HTTPResponse {
    var text: String { body.reveal { $0 } }

    func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}
