import FoundationEssentials
import OAuth
import Testing
import VaultCrypto
import VaultTesting

@Suite(.timeLimit(.minutes(1))) struct ScriptedTransportTests {
    private func request(
        _ body: String = "grant_type=refresh_token&refresh_token=a%2Bb"
    ) throws
        -> HTTPRequest
    {
        HTTPRequest(.post, try EndpointURL("https://as.example/token"), body: Secret(body))
    }

    @Test func answersComeInTheirOrder() async throws {
        let transport = ScriptedTransport(
            .grant(accessToken: "a", refreshToken: "r", expiresIn: 60, scope: "x y"),
            .refusal("invalid_grant", status: 401, description: "no"),
            .failure(.notSent(.tlsFailed))
        )
        transport.enqueue(.response(204))
        let granted = try await transport.send(request())
        let body = granted.body.reveal { $0 }
        for part in [#""access_token":"a""#, #""refresh_token":"r""#, #""expires_in":60"#] {
            #expect(body.contains(part))
        }
        let refused = try await transport.send(request())
        #expect(refused.status == 401)
        #expect(refused.body.reveal { $0.contains(#""error":"invalid_grant""#) })
        await #expect(throws: HTTPTransportError.notSent(.tlsFailed)) {
            try await transport.send(request())
        }
        #expect(try await transport.send(request()).status == 204)
        #expect(transport.requestCount == 4)
        #expect(transport.unusedAnswerCount == 0)
    }

    @Test func requestsAreRememberedAndNotPrinted() async throws {
        let transport = ScriptedTransport { _ in .response(200) }
        _ = try await transport.send(request())
        let sent = try #require(transport.requests.first)
        #expect(sent.refreshToken == Secret("a+b"))
        #expect(sent.parameter("grant_type") == Secret("refresh_token"))
        #expect(sent.parameter("scope") == nil)
        var text = "\(sent)"
        dump(sent, to: &text)
        #expect(!text.contains("a+b"))
        #expect(!text.contains("a%2Bb"))
    }

    @Test func aHeldAnswerWaits() async throws {
        let hold = Hold()
        let transport = ScriptedTransport(.response(200).held(by: hold))
        let answer = Task { try await transport.send(request()) }
        try await hold.waitForArrivals()
        try await transport.waitForRequests(1)
        #expect(hold.arrivals == 1)
        hold.release()
        #expect(try await answer.value.status == 200)
    }

    @Test func oneRequestTooManyEndsTheProcess() async {
        await #expect(processExitsWith: .failure) {
            let transport = ScriptedTransport(.response(200))
            let url = try EndpointURL("https://as.example/token")
            _ = try await transport.send(HTTPRequest(.get, url))
            _ = try await transport.send(HTTPRequest(.get, url))
        }
    }

    @Test func theUnreachableTransportEndsTheProcess() async {
        await #expect(processExitsWith: .failure) {
            let url = try EndpointURL("https://as.example/token")
            _ = try await UnreachableTransport().send(HTTPRequest(.get, url))
        }
    }
}
