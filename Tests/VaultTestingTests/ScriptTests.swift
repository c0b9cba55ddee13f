import OAuth
import Testing
import VaultCrypto
import VaultHTTP
import VaultTesting

@Suite struct ScriptTests {
    private let server: TestAuthorizationServer
    private let client: TestClient
    private let pair: TokenPair

    init() throws {
        server = try TestAuthorizationServer()
        client = TestClient(server: server)
        pair = server.issue(subject: "alice")
    }

    /// Refreshes with the first token and says what came of it.
    private func refresh() async -> Result<Int, HTTPTransportError> {
        do throws(HTTPTransportError) {
            return .success(try await client.refresh(pair.refreshToken).status)
        } catch {
            return .failure(error)
        }
    }

    @Test func entriesHoldForOneRequestEachAndThenThePlainAnswerComes() async {
        server.script([.dropBeforeCommit, .respond(status: 503, headers: ["Retry-After": "7"])])
        #expect(await refresh() == .failure(.ambiguous(.connectionLost)))
        #expect(await refresh() == .success(503))
        #expect(await refresh() == .success(200))
        #expect(server.ledger.counters.postsPerRefreshToken == [pair.refreshToken: 3])
        #expect(server.ledger.counters.refreshes == 1)
    }

    @Test func anAnswerDroppedAfterTheCommitSpendsTheToken() async {
        server.script([.dropAfterCommit])
        #expect(await refresh() == .failure(.ambiguous(.connectionLost)))
        #expect(server.ledger.counters.refreshes == 1)
        #expect(await refresh() == .success(400))
        #expect(server.ledger.counters.reuseDetections == 1)
    }

    @Test func anyBytesCanBeAnswered() async {
        server.script([.raw(Array("rubbish\r\n\r\n".utf8)), .respond(status: 500, commits: true)])
        #expect(await refresh() == .failure(.ambiguous(.malformedAnswer)))
        #expect(await refresh() == .success(500))
        #expect(server.ledger.counters.refreshes == 1)
    }

    @Test func aDelayAfterTheCommitHoldsTheAnswerBack() async {
        server.setStanding(.delayAfterCommit(seconds: 0.03))
        server.script([.delay(seconds: 0.03)])
        let clock = ContinuousClock()
        for _ in 0..<2 {
            let time = await clock.measure { _ = await refresh() }
            #expect(time >= .milliseconds(30))
        }
    }

    @Test func scriptsAndNumbersAreReachedOverHTTP() async throws {
        let script = """
            [{"drop": true}, {"status": 429, "headers": {"Retry-After": "1"}, "body": "slow"},
             {"raw": "x", "commits": false}, {"delayBeforeCommit": 0.001, "delayAfterCommit": 0.001}]
            """
        #expect(try await client.post("\(server.issuer)/test/script", script).status == 204)
        #expect(await refresh() == .failure(.ambiguous(.connectionLost)))
        #expect(await refresh() == .success(429))
        #expect(await refresh() == .failure(.ambiguous(.malformedAnswer)))
        #expect(await refresh() == .success(400))
        let standing = try await client.post("\(server.issuer)/test/standing", #"{"status": 418}"#)
        #expect(standing.status == 204)
        #expect(await refresh() == .success(418))
        #expect(try await client.post("\(server.issuer)/test/script", "{").status == 400)
        let stats = try await client.get("\(server.issuer)/test/stats").text
        #expect(
            stats == """
                {"apiAccepted":0,"apiRefused":0,"codeReuseDetections":0,"grantsAlive":0,\
                "grantsRevoked":1,"mostPostsOfOneRefreshToken":5,"perSubject":{"alice":1},\
                "refreshes":1,"reuseDetections":1,"revocations":0,"tokenRequests":5,\
                "tokenRequestsPerGrantType":{"refresh_token":5}}
                """
        )
    }

    @Test func whatBecameOfAGrantIsReachedOverHTTP() async throws {
        struct Grant: Decodable {
            let isRevoked: Bool
            let refreshes: Int
            let committedAt: Double
        }
        let address = "\(server.issuer)/test/grant?subject="
        let first: Grant = try await client.get("\(address)alice").json()
        #expect(!first.isRevoked && first.refreshes == 0)
        #expect(await refresh() == .success(200))
        #expect(await refresh() == .success(400))
        let last: Grant = try await client.get("\(address)alice").json()
        #expect(last.isRevoked && last.refreshes == 1 && last.committedAt > first.committedAt)
        #expect(try await client.get("\(address)nobody").status == 404)
    }

    @Test(
        "profiles have names",
        arguments: [
            ("none", RotationProfile.none), ("strict", .strict),
            ("grace:2.5", .grace(seconds: 2.5)),
            ("grace-once:30", .graceOnce(seconds: 30)), ("ack-on-use", .ackOnUse), ("grace", nil),
            ("grace:-1", nil), ("grace-once:", nil), ("strict:1", nil), ("", nil),
        ]
    )
    func profileNames(text: String, profile: RotationProfile?) {
        #expect(RotationProfile(text) == profile)
    }
}
