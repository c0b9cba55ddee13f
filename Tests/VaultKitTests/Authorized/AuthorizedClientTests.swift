import FoundationEssentials
import OAuth
import Testing
import VaultAccess
import VaultTesting

@testable import VaultKit

/// What the client of an account makes of a resource server's answers.
@Suite(.timeLimit(.minutes(1))) struct AuthorizedClientTests {
    private static let address = "https://api.example/me?a=1"

    private func request(
        _ method: ResourceRequest.Method = .get,
        _ address: String = Self.address,
        body: RequestBody = .none,
        when policy: UnauthorizedPolicy = .refreshAndRetryOnce
    ) throws -> ResourceRequest {
        ResourceRequest(
            method,
            try EndpointURL(address),
            headers: [HTTPHeader("X-Trace", "7")],
            body: body,
            whenUnauthorized: policy
        )
    }

    /// What a client gets for a request.
    private func answerStatus(
        of client: AuthorizedClient,
        when policy: UnauthorizedPolicy = .refreshAndRetryOnce
    ) async throws -> Int {
        try await client.send(request(when: policy)).status
    }

    /// A client of an account whose token has settled, at a resource server.
    private func withClient(
        at resources: ScriptedResourceServer,
        _ transport: ScriptedTransport,
        _ body: (AuthorizedClient, Scene) async throws -> Void
    ) async throws {
        try await withScene(transport) { scene in
            try await scene.add()
            scene.clock.advance(by: 6)
            let client = AuthorizedClient(
                scene.vault,
                account: "work",
                origins: ["https://api.example"],
                transport: resources
            )
            try await body(client, scene)
        }
    }

    private func tokens(_ resources: ScriptedResourceServer) -> [String?] {
        resources.requests.map { $0.bearerToken?.reveal { $0 } }
    }

    @Test("HT-05: the second request is the first but for its token")
    func retriesTheSame() async throws {
        let resources = ScriptedResourceServer { request in
            request.bearerToken?.reveal { $0 } == "work-access-2"
                ? ResourceResponse(status: 201) : .unauthorized("invalid_token")
        }
        try await withClient(at: resources, RotatingServer().transport()) { client, _ in
            let sent = try request(.post, body: .text("hello"))
            #expect(try await client.send(sent).status == 201)
            #expect(tokens(resources) == ["work-access-1", "work-access-2"])
            for request in resources.requests {
                #expect(request.method == .post)
                #expect(request.url.string == Self.address)
                #expect(request.headers.map(\.name) == ["Authorization", "X-Trace"])
                #expect(request.body.isReplayable)
            }
        }
    }

    @Test("ER-06: the last 401 is returned as it is, with its header and its body")
    func lastRejection() async throws {
        let resources = ScriptedResourceServer { _ in .unauthorized("invalid_token") }
        let server = RotatingServer()
        try await withClient(at: resources, server.transport()) { client, _ in
            let response = try await client.send(request())
            #expect(response.status == 401)
            #expect(response.header("www-authenticate")?.contains("invalid_token") == true)
            #expect(try await response.body.collect(upTo: 100) == Array("rejected".utf8))
            #expect(resources.requestCount == 2)
            #expect(server.requestCount == 1)
        }
    }

    @Test(
        "HT-09: a missing scope is the answer, and refreshes nothing",
        arguments: [401, 403]
    )
    func missingScope(status: Int) async throws {
        let resources = ScriptedResourceServer { _ in
            .unauthorized("insufficient_scope", status: status)
        }
        try await withClient(at: resources, ScriptedTransport()) { client, _ in
            let answered = try await answerStatus(of: client)
            #expect(answered == status)
            #expect(resources.requestCount == 1)
        }
    }

    @Test("a request says what a rejection leads to")
    func policies() async throws {
        let resources = ScriptedResourceServer { _ in .unauthorized("invalid_token") }
        let server = RotatingServer()
        try await withClient(at: resources, server.transport()) { client, scene in
            let passed = try await answerStatus(of: client, when: .passThrough)
            #expect(passed == 401)
            #expect(server.requestCount == 0)
            let refreshed = try await answerStatus(of: client, when: .refreshOnly)
            #expect(refreshed == 401)
            #expect(resources.requestCount == 2)
            #expect(server.requestCount == 1)
            #expect(try scene.stored().generation == 2)
        }
    }

    @Test("a body that can be read once is not sent again, and the next request has the new token")
    func oneShotBody() async throws {
        let resources = ScriptedResourceServer { request in
            request.bearerToken?.reveal { $0 } == "work-access-2"
                ? ResourceResponse(status: 200) : .unauthorized("invalid_token")
        }
        try await withClient(at: resources, RotatingServer().transport()) { client, _ in
            let pieces = AsyncThrowingStream<[UInt8], any Error> { $0.finish() }
            let upload = try request(.put, body: .oneShot(pieces))
            #expect(try await client.send(upload).status == 401)
            #expect(tokens(resources) == ["work-access-1"])
            let next = try await answerStatus(of: client)
            #expect(next == 200)
            #expect(tokens(resources) == ["work-access-1", "work-access-2"])
        }
    }

    @Test("a refresh that fails for a request that is not sent again leaves it its answer")
    func refreshOnlyFails() async throws {
        let resources = ScriptedResourceServer { _ in .unauthorized("invalid_token") }
        let transport = ScriptedTransport(.failure(.notSent(.connectionFailed)))
        try await withClient(at: resources, transport) { client, _ in
            let answered = try await answerStatus(of: client, when: .refreshOnly)
            #expect(answered == 401)
            #expect(transport.requestCount == 1)
        }
    }

    @Test("requests that are not sent again do not get round the limit either")
    func refreshOnlyStorm() async throws {
        let resources = ScriptedResourceServer { _ in .unauthorized("invalid_token") }
        let server = RotatingServer()
        try await withClient(at: resources, server.transport()) { client, scene in
            for _ in 1...20 {
                let answered = try await answerStatus(of: client, when: .refreshOnly)
                #expect(answered == 401)
                scene.clock.advance(by: 2.5)
            }
            #expect(server.requestCount == 1)
        }
    }

    @Test(
        "HT-07: the token goes to the account's origins and nowhere else",
        arguments: [
            "https://other.example/me", "https://api.example:8443/me", "http://127.0.0.1/me",
            "https://api.example.evil.example/me",
        ]
    )
    func otherOrigin(address: String) async throws {
        let resources = ScriptedResourceServer { _ in ResourceResponse(status: 200) }
        try await withClient(at: resources, ScriptedTransport()) { client, _ in
            let error = await vaultError { _ = try await client.send(request(.get, address)) }
            #expect(error?.code == .invalidInput)
            #expect(error?.facts[.reason] == "origin_not_allowed")
            #expect(error?.facts[.wanted] == "https://api.example")
            #expect(resources.requestCount == 0)
        }
    }

    @Test("HT-02, HT-03: a redirect is the answer, and nothing goes where it points")
    func redirect() async throws {
        let resources = ScriptedResourceServer { _ in
            ResourceResponse(status: 307, headers: [("Location", "https://other.example/")])
        }
        try await withClient(at: resources, ScriptedTransport()) { client, _ in
            let response = try await client.send(request(.post, body: .text("hello")))
            #expect(response.status == 307)
            #expect(response.header("Location") == "https://other.example/")
            #expect(resources.requestCount == 1)
        }
    }

    @Test("a request that needs no token has none, wherever it goes and whatever is answered")
    func withoutToken() async throws {
        let resources = ScriptedResourceServer { _ in .unauthorized("invalid_token") }
        try await withClient(at: resources, ScriptedTransport()) { client, _ in
            var request = try request(.get, "https://other.example/")
            request.isAuthorized = false
            #expect(try await client.send(request).status == 401)
            #expect(tokens(resources) == [nil])
        }
    }

    @Test(
        "a request with a credential or a host of its own is refused",
        arguments: ["AUTHORIZATION", "Proxy-Authorization", "host"]
    )
    func ownCredential(field: String) async throws {
        let resources = ScriptedResourceServer { _ in ResourceResponse(status: 200) }
        try await withClient(at: resources, ScriptedTransport()) { client, _ in
            var request = try request()
            request.headers.append(HTTPHeader(field, "x"))
            let error = await vaultError { _ = try await client.send(request) }
            #expect(error?.facts[.field] == field.lowercased())
            #expect(error?.facts[.reason] == "field_of_the_client")
            #expect(resources.requestCount == 0)
        }
    }

    @Test("HT-08: a dead account sends nothing")
    func deadAccount() async throws {
        let resources = ScriptedResourceServer { _ in ResourceResponse(status: 200) }
        try await withClient(at: resources, ScriptedTransport(.refusal("invalid_grant"))) {
            client,
            scene in
            scene.clock.advance(by: 3600)
            let error = await vaultError { _ = try await client.send(request()) }
            #expect(error?.code == .signInNeeded)
            #expect(resources.requestCount == 0)
        }
    }

    @Test("a token of a type that is not presented as bearer is not sent (RFC 6749 §7.1)")
    func otherTokenType() throws {
        let token = AccessToken(
            account: "work",
            value: Secret("x"),
            tokenType: "mac",
            expiry: nil,
            generation: 1,
            grantedScope: nil,
            warning: nil
        )
        #expect(throws: VaultError(.invalidInput)) { try token.authorization }
    }
}
