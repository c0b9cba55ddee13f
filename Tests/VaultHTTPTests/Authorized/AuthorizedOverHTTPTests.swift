import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultAccess
import VaultHTTP
import VaultHTTPServer
import VaultKit
import VaultTesting

/// The authorized client over real connections: what it sends, and what it makes of real answers.
@Suite(.timeLimit(.minutes(1))) struct AuthorizedOverHTTPTests {
    /// Rejects every token until one was renewed, with these challenges.
    private func rejectingServer(_ challenges: [String]) throws -> RecordingServer {
        try RecordingServer { request, number in
            let text = number == 1 ? "rejected" : "accepted"
            var response = HTTPServerResponse(status: number == 1 ? 401 : 200, text: text)
            if number == 1 {
                response.headers += challenges.map { ("WWW-Authenticate", $0) }
            }
            return .response(response)
        }
    }

    /// Answers once the hold is released.
    private func lateServer(_ hold: Hold) throws -> RecordingServer {
        try RecordingServer { _, _ in
            try? await hold.pass()
            return .text("late")
        }
    }

    @Test("100 requests in flight when their token is revoked: one refresh, 100 retries, all taken")
    func revokedInFlight() async throws {
        try await AuthorizedScene.use { scene in
            let old = try await scene.vault.accessToken(for: "work")
            let resources = GatheringTransport(scene.transport, until: 100)
            let address = try EndpointURL(scene.server.protectedResource)
            let client = scene.client(at: Origin(address), over: resources)
            scene.server.revoke(old.value)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<100 {
                    group.addTask { try await client.send(ResourceRequest(.get, address)).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == [Int](repeating: 200, count: 100))
            let counters = scene.server.ledger.counters
            #expect(counters.apiRefused == 100)
            #expect(counters.apiAccepted == 100)
            #expect(counters.refreshes == 1)
            #expect(counters.tokenRequests == 1)
            #expect(counters.reuseDetections == 0)
        }
    }

    @Test(
        "HT-01: a 401 is seen at once whatever it challenges to, and leads to a refresh and a retry",
        arguments: [
            ["Basic realm=\"x\""], ["Bearer error=\"invalid_token\"", "Basic realm=\"x\""],
            ["Bearer error=\"invalid_token\", Basic realm=\"x\""], ["Negotiate", "NTLM"],
            ["Digest realm=\"x\", nonce=\"y\""], [],
        ]
    )
    func challenges(_ challenges: [String]) async throws {
        try await AuthorizedScene.use { scene in
            let resources = try rejectingServer(challenges)
            let start = Uptime.seconds()
            let response = try await scene.client(of: resources).send(
                ResourceRequest(.get, resources.url())
            )
            #expect(Uptime.seconds() - start < 5)
            #expect(response.status == 200)
            #expect(try await response.text == "accepted")
            #expect(scene.server.ledger.counters.refreshes == 1)
            await resources.stop()
        }
    }

    @Test("HT-05: the retry is the same request with another token")
    func sameRequest() async throws {
        try await AuthorizedScene.use { scene in
            let resources = try rejectingServer(["Bearer error=\"invalid_token\""])
            let request = ResourceRequest(
                .post,
                resources.url("/items?q=a%20b&q=c"),
                headers: [HTTPHeader("X-Trace", "7"), HTTPHeader("Content-Type", "text/plain")],
                body: .replayable(length: 5) {
                    AsyncThrowingStream { pieces in
                        pieces.yield(Array("hel".utf8))
                        pieces.yield(Array("lo".utf8))
                        pieces.finish()
                    }
                }
            )
            #expect(try await scene.client(of: resources).send(request).status == 200)
            let seen = resources.requests
            try #require(seen.count == 2)
            #expect(seen.map { $0.header("authorization") }.allSatisfy { $0 != nil })
            #expect(seen[0].header("authorization") != seen[1].header("authorization"))
            for request in seen {
                #expect(request.method == "POST")
                #expect(request.target == "/items?q=a%20b&q=c")
                #expect(request.header("x-trace") == "7")
                #expect(request.header("content-type") == "text/plain")
                #expect(String(decoding: request.body, as: UTF8.self) == "hello")
            }
            await resources.stop()
        }
    }

    @Test(
        "ER-05, ER-06: a server that always says 401 gets two requests, and its answer is returned"
    )
    func alwaysRejects() async throws {
        try await AuthorizedScene.use { scene in
            let resources = try RecordingServer(
                always: .response(
                    HTTPServerResponse(
                        status: 401,
                        headers: [
                            ("WWW-Authenticate", "Bearer error=\"invalid_token\""), ("X-A", "b"),
                        ],
                        text: "no"
                    )
                )
            )
            let client = scene.client(of: resources)
            for count in [2, 3, 4] {
                let response = try await client.send(ResourceRequest(.get, resources.url()))
                #expect(response.status == 401)
                #expect(response.header("x-a") == "b")
                #expect(try await response.text == "no")
                #expect(resources.requests.count == count)
                scene.clock.advance(by: 10)
            }
            #expect(scene.server.ledger.counters.refreshes == 1)
            #expect(try await scene.vault.account("work").state == .active)
            await resources.stop()
        }
    }

    @Test(
        "HT-02, HT-03: a redirect is returned, and neither token nor body goes where it points",
        arguments: [301, 302, 303, 307, 308]
    )
    func redirects(status: Int) async throws {
        try await AuthorizedScene.use { scene in
            let other = try RecordingServer(always: .text("here"))
            let resources = try RecordingServer(
                always: .response(
                    HTTPServerResponse(
                        status: status,
                        headers: [("Location", other.url("/there").string)]
                    )
                )
            )
            let request = ResourceRequest(.post, resources.url(), body: .text("hello"))
            let response = try await scene.client(of: resources).send(request)
            #expect(response.status == status)
            #expect(response.header("location") == other.url("/there").string)
            #expect(other.requests.isEmpty)
            #expect(resources.requests.count == 1)
            // Nor when somebody follows it: the other server is none of the account's.
            let error = await #expect(throws: VaultError.self) {
                try await scene.client(of: resources).send(ResourceRequest(.get, other.url()))
            }
            #expect(error?.facts[.reason] == "origin_not_allowed")
            #expect(other.requests.isEmpty)
            await other.stop()
            await resources.stop()
        }
    }

    @Test("a body that can be read once goes out once, and the next request has the new token")
    func oneShot() async throws {
        try await AuthorizedScene.use { scene in
            let resources = try rejectingServer(["Bearer error=\"invalid_token\""])
            let client = scene.client(of: resources)
            let upload = ResourceRequest(.put, resources.url(), body: .texts(["hello"], length: 5))
            #expect(try await client.send(upload).status == 401)
            #expect(resources.requests.count == 1)
            #expect(try await client.send(ResourceRequest(.get, resources.url())).status == 200)
            #expect(scene.server.ledger.counters.refreshes == 1)
            await resources.stop()
        }
    }

    @Test("SF-14: a refresh is not queued behind requests that take their time")
    func refreshHasItsOwnCapacity() async throws {
        try await AuthorizedScene.use { scene in
            let hold = Hold()
            let resources = try lateServer(hold)
            let client = scene.client(of: resources)
            let slow = (0..<50).map { _ in
                Task { try await client.send(ResourceRequest(.get, resources.url())).status }
            }
            try await hold.waitForArrivals(50)
            #expect(try await scene.vault.refresh("work").generation == 2)
            hold.release()
            for task in slow { #expect(try await task.value == 200) }
            await resources.stop()
        }
    }

    @Test("HT-06: a token endpoint that answers 401 is not retried, and sees no bearer token")
    func tokenEndpointRejects() async throws {
        try await AuthorizedScene.use { scene in
            let endpoint = try RecordingServer(
                always: .text("{\"error\":\"invalid_client\"}", status: 401)
            )
            _ = try await scene.vault.add(
                .testing("other", tokenEndpoint: endpoint.url("/token").string),
                .testing(accessToken: "a", refreshToken: "r", lifetime: 1)
            )
            scene.clock.advance(by: 2)
            let resources = try RecordingServer(always: .text("never"))
            let client = AuthorizedClient(
                scene.vault,
                account: "other",
                origins: [Origin(resources.url())],
                transport: scene.transport
            )
            let error = await #expect(throws: VaultError.self) {
                try await client.send(ResourceRequest(.get, resources.url()))
            }
            #expect(error?.code == .clientRefused)
            #expect(endpoint.requests.map { $0.header("authorization") } == [nil])
            #expect(resources.requests.isEmpty)
            await resources.stop()
            await endpoint.stop()
        }
    }

    @Test("a caller who is cancelled while the answer is awaited ends at once, and harms nobody")
    func cancelled() async throws {
        try await AuthorizedScene.use { scene in
            let hold = Hold()
            let resources = try lateServer(hold)
            let client = scene.client(of: resources)
            let task = Task { try await client.send(ResourceRequest(.get, resources.url())) }
            try await hold.waitForArrivals(1)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            hold.release()
            #expect(try await client.send(ResourceRequest(.get, resources.url())).status == 200)
            await resources.stop()
        }
    }
}
