import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultHTTP
import VaultTesting

@Suite struct TestAuthorizationServerTests {
    private let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    private let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    @Test func discoveryNamesTheEndpoints() async throws {
        let server = try TestAuthorizationServer()
        let client = TestClient(server: server)
        for name in ["openid-configuration", "oauth-authorization-server"] {
            let response = try await client.get("\(server.issuer)/.well-known/\(name)")
            #expect(response.header("Content-Type") == "application/json")
            #expect(response.text.contains(#""issuer":"\#(server.issuer)""#))
            #expect(response.text.contains(#""token_endpoint":"\#(server.tokenEndpoint)""#))
        }
        await server.stop()
    }

    @Test func signInRefreshUseAndRevokeGoThrough() async throws {
        let server = try TestAuthorizationServer()
        let client = TestClient(server: server)
        let redirect = try await client.get(
            "\(server.authorizationEndpoint)?response_type=code&client_id=test-public&state=s%26t"
                + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fcb&code_challenge=\(challenge)"
                + "&code_challenge_method=S256&login_hint=alice&scope=read"
        )
        #expect(redirect.status == 302)
        let location = try #require(redirect.header("Location"))
        #expect(location.hasPrefix("http://127.0.0.1:9/cb?code=test-code-"))
        #expect(location.contains("&state=s%26t&iss=http%3A%2F%2F127.0.0.1%3A"))
        let code = try #require(
            location.split(separator: "code=").last?.split(separator: "&").first
        )

        let granted: TokenBody = try await client.post(
            server.tokenEndpoint,
            "grant_type=authorization_code&client_id=test-public&code=\(code)"
                + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fcb&code_verifier=\(verifier)"
        ).json()
        #expect(granted.expires_in == 3600)
        #expect(granted.scope == "read")
        #expect(granted.token_type == "Bearer")

        let first = try #require(granted.refresh_token)
        let response = try await client.refresh(Secret(first))
        #expect(response.header("Cache-Control") == "no-store")
        let refreshed: TokenBody = try response.json()
        let access = Secret(try #require(refreshed.access_token))
        let second = try #require(refreshed.refresh_token)
        #expect(try await client.whoami(access).text == #"{"scope":"read","subject":"alice"}"#)

        #expect(
            try await client.post(
                server.revocationEndpoint,
                "client_id=test-public&token=\(second)"
            ).status == 200
        )
        let refused = try await client.whoami(access)
        #expect(refused.status == 401)
        #expect(refused.header("WWW-Authenticate")?.contains("invalid_token") == true)

        let counters = server.ledger.counters
        #expect(
            counters.tokenRequestsPerGrantType == ["authorization_code": 1, "refresh_token": 1]
        )
        #expect(counters.postsPerRefreshToken == [Secret(first): 1])
        #expect(counters.refreshesPerSubject == ["alice": 1])
        #expect(counters.apiAccepted == 1)
        #expect(counters.apiRefused == 1)
        #expect(counters.revocations == 1)
        await server.stop()
    }

    @Test(
        "a wrong authorization request redirects with an error, or nowhere",
        arguments: [
            (
                "response_type=token&client_id=test-public&redirect_uri=http://[::1]/",
                "unsupported_response_type"
            ),
            (
                "response_type=code&client_id=test-public&redirect_uri=http://localhost:1/?a=b",
                "&error=invalid_request"
            ),
            ("client_id=test-public&redirect_uri=http://127.0.0.1", "invalid_request"),
            ("client_id=other&redirect_uri=http://127.0.0.1", nil),
            ("client_id=test-public&redirect_uri=http://127.0.0.1.evil.example/", nil),
            ("client_id=test-public&redirect_uri=https://evil.example/", nil),
            ("client_id=test-public", nil),
        ]
    )
    func wrongAuthorizationRequest(query: String, error: String?) async throws {
        let server = try TestAuthorizationServer()
        let response = try await TestClient(server: server)
            .get("\(server.authorizationEndpoint)?\(query)")
        #expect(response.status == (error == nil ? 400 : 302))
        #expect(error.map { response.header("Location")?.contains($0) == true } ?? true)
        await server.stop()
    }

    @Test(
        "clients authenticate as they are registered",
        arguments: [
            ("client_id=public", nil, 200),
            ("client_id=secret+one&client_secret=a%26b", nil, 200),
            ("", "secret+one:a%26b", 200),
            ("client_id=secret+one", nil, 401),
            ("client_id=secret+one&client_secret=wrong", nil, 401),
            ("", "secret+one:wrong", 401),
            ("client_id=public&client_secret=x", nil, 401),
            ("client_id=unknown", nil, 401),
        ]
    )
    func clientAuthentication(fields: String, basic: String?, status: Int) async throws {
        var settings = TestAuthorizationServer.Settings()
        settings.clients = [.init("public"), .init("secret one", secret: Secret("a&b"))]
        let server = try TestAuthorizationServer(settings)
        let owner = fields.contains("=public") ? "public" : "secret one"
        let pair = server.issue(subject: "alice", client: owner)
        let headers = basic.map {
            [HTTPHeader("Authorization", "Basic \(Data($0.utf8).base64EncodedString())")]
        }
        let body = pair.refreshToken.reveal {
            "grant_type=refresh_token&refresh_token=\($0)\(fields.isEmpty ? "" : "&")\(fields)"
        }
        let response = try await TestClient(server: server)
            .post(server.tokenEndpoint, body, headers: headers ?? [])
        #expect(response.status == status)
        if status == 401 {
            #expect(try response.json(TokenBody.self).error == "invalid_client")
            #expect((response.header("WWW-Authenticate") != nil) == (basic != nil))
        }
        await server.stop()
    }

    @Test(
        "wrong token requests get the standard's errors",
        arguments: [
            ("grant_type=password", "unsupported_grant_type"),
            ("grant_type=refresh_token", "invalid_request"),
            ("grant_type=refresh_token&refresh_token=unknown", "invalid_grant"),
            ("grant_type=refresh_token&refresh_token=a&refresh_token=b", "invalid_request"),
            ("grant_type=authorization_code&code=x", "invalid_request"),
            ("", "invalid_request"),
        ]
    )
    func tokenErrors(body: String, error: String) async throws {
        let server = try TestAuthorizationServer()
        let response = try await TestClient(server: server)
            .post(server.tokenEndpoint, "client_id=test-public&\(body)")
        #expect(response.status == 400)
        #expect(try response.json(TokenBody.self).error == error)
        await server.stop()
    }

    @Test func timeComesFromTheClock() async throws {
        let now = TestTime()
        var settings = TestAuthorizationServer.Settings()
        settings.accessTokenLifetime = 60
        settings.accessTokenFormat = .jwt
        let server = try TestAuthorizationServer(settings, clock: { now.seconds })
        let client = TestClient(server: server)
        let pair = server.issue(subject: "alice")
        #expect(pair.expiry == 1060)
        #expect(try await client.whoami(pair.accessToken).status == 200)
        now.advance(by: 60)
        #expect(try await client.whoami(pair.accessToken).status == 401)
        await server.stop()
    }

    @Test func subjectsWithoutANameAreNumbered() async throws {
        let server = try TestAuthorizationServer()
        let client = TestClient(server: server)
        for name in ["user-1", "user-2"] {
            _ = try await client.post(
                "\(server.issuer)/test/issue",
                #"{"clientID":"test-public"}"#
            )
            #expect(server.ledger.currentPair(of: name) != nil)
        }
        await server.stop()
    }
}

/// A clock that a test sets.
private final class TestTime: Sendable {
    private let now = Locked(1000.0)

    var seconds: Double { now.withLock { $0 } }

    func advance(by seconds: Double) {
        now.withLock { $0 += seconds }
    }
}
