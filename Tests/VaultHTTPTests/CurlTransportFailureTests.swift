import OAuth
import Platform
import Testing
import VaultAccess
import VaultCrypto
import VaultHTTP
import VaultHTTPServer

@Suite struct CurlTransportFailureTests {
    private let transport = CurlTransport()

    private func post(_ server: RecordingServer) -> HTTPRequest {
        HTTPRequest(.post, server.url(), body: Secret("grant_type=refresh_token"))
    }

    @Test func aConnectionThatDiesWithThePostIsAmbiguousAndNothingIsSentAgain() async throws {
        let server = try RecordingServer(limits: .oneConnection) { _, number in
            number == 1 ? .text("first") : .drop
        }
        #expect(try await transport.send(post(server)).text == "first")
        #expect(await transport.failure(of: post(server)) == .ambiguous(.connectionLost))
        #expect(server.requests.count == 2)
        await server.stop()
    }

    @Test func aConnectionThatDiesWithAnEmptyPostIsAmbiguousToo() async throws {
        let server = try RecordingServer { _, number in number == 1 ? .text("first") : .drop }
        #expect(try await transport.send(post(server)).text == "first")
        let request = HTTPRequest(.post, server.url())
        #expect(await transport.failure(of: request) == .ambiguous(.connectionLost))
        #expect(server.requests.count == 2)
        await server.stop()
    }

    @Test func aConnectionTheServerClosedWhileIdleCostsNothing() async throws {
        let first = try RecordingServer(always: .text("old"))
        #expect(try await transport.send(post(first)).text == "old")
        await first.stop()
        let listener = try ListeningSocket.loopback(port: first.port)
        let second = try HTTPServer(on: listener) { _ in .text("new") }
        #expect(try await transport.send(post(first)).text == "new")
        await second.stop()
    }

    @Test func aPostLeavesNoConnectionBehind() async throws {
        let server = try RecordingServer(limits: .oneConnection) { _, _ in .text("ok") }
        for _ in 0..<20 {
            let request = HTTPRequest(.post, server.url(), body: Secret("a=b"), deadline: 5)
            #expect(try await transport.send(request).text == "ok")
        }
        await server.stop()
    }

    /// A resource server on the origin of the token endpoint says 401 and hangs up when it is asked
    /// for more, as one does that closed the connection at the same moment.
    @Test("a POST takes nobody's kept connection", arguments: ["refresh", ""])
    func keptConnectionOfAResource(body: String) async throws {
        let server = try SocketServer { connection in
            let isPost = try connection.readHead().hasPrefix("POST")
            try connection.write(
                "HTTP/1.1 \(isPost ? "200 OK" : "401 No")\r\nContent-Length: 2\r\n\r\nok"
            )
            _ = try connection.readHead()
        }
        for _ in 0..<3 {
            #expect(try await transport.text(of: ResourceRequest(.get, server.url())).status == 401)
            let refresh = HTTPRequest(.post, server.url(), body: Secret(body))
            #expect(await transport.failure(of: refresh) == nil)
        }
        server.stop()
    }

    @Test(
        "an answer over the limit is given up",
        arguments: [
            (100, 100, true), (101, 100, false), (5_000_000, 1 << 20, false), (1, 0, false),
        ]
    )
    func answerLimit(count: Int, limit: Int, fits: Bool) async throws {
        let bytes = [UInt8](repeating: 120, count: count)
        let chunked = Array(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(String(count, radix: 16))\r\n"
                .utf8
        )
        let server = try RecordingServer { request, _ in
            request.path == "/chunked"
                ? .raw(chunked + bytes + Array("\r\n0\r\n\r\n".utf8))
                : .response(HTTPServerResponse(status: 200, body: bytes))
        }
        for path in ["/", "/chunked"] {
            let request = HTTPRequest(.get, server.url(path), maximumBodyBytes: limit)
            let outcome = await transport.outcome(of: request)
            switch outcome {
            case .success(let response): #expect(fits && response.body.count == count)
            case .failure(let error): #expect(!fits && error == .ambiguous(.answerTooLarge))
            }
        }
        await server.stop()
    }

    @Test("an answer that is not HTTP, or not all of it, is ambiguous", arguments: BrokenAnswer.all)
    func brokenAnswer(row: BrokenAnswer) async throws {
        let server = try RecordingServer(always: .raw(Array(row.bytes.utf8)))
        #expect(await transport.failure(of: post(server)) == .ambiguous(row.reason))
        #expect(server.requests.count == 1)
        await server.stop()
    }

    @Test(
        "a deadline that passes after sending is ambiguous",
        arguments: [
            HTTPRequest.Method.get, .post,
        ]
    )
    func deadline(method: HTTPRequest.Method) async throws {
        let server = try SocketServer { connection in
            _ = try connection.readHead()
            try connection.waitForEnd()
        }
        let request = HTTPRequest(method, server.url(), body: Secret("a=b"), deadline: 1)
        #expect(await transport.failure(of: request) == .ambiguous(.timedOut))
        #expect(server.connectionCount == 1)
        server.stop()
    }

    @Test(
        "what never left is not sent",
        arguments: [
            ("http://no-such-host.invalid/", HTTPTransportError.Reason.nameNotResolved),
            ("ftp://127.0.0.1/", .malformedAnswer),
            ("http://user:word@127.0.0.1/", .refused),
            ("not a url", .refused),
        ]
    )
    func notSent(url: String, reason: HTTPTransportError.Reason) async {
        let request = HTTPRequest(.post, EndpointURL(unchecked: url), body: Secret("a=b"))
        #expect(await transport.failure(of: request) == .notSent(reason))
    }

    @Test func aRefusedConnectionIsNotSent() async throws {
        let server = try RecordingServer(always: .drop)
        await server.stop()
        #expect(await transport.failure(of: post(server)) == .notSent(.connectionFailed))
    }

    @Test func aServerWithoutTLSIsNotSent() async throws {
        let server = try RecordingServer(always: .drop)
        let url = EndpointURL(unchecked: "https://127.0.0.1:\(server.port)/")
        let request = HTTPRequest(.post, url, body: Secret("a=b"))
        #expect(await transport.failure(of: request) == .notSent(.tlsFailed))
        #expect(server.requests.isEmpty)
        await server.stop()
    }

    @Test func aDeadlineInThePastIsNotSent() async throws {
        let server = try RecordingServer(always: .drop)
        let request = HTTPRequest(.get, server.url(), deadline: 0)
        #expect(await transport.failure(of: request)?.reason == .refused)
        #expect(server.requests.isEmpty)
        await server.stop()
    }
}

struct BrokenAnswer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: String
    let reason: HTTPTransportError.Reason

    init(_ description: String, _ bytes: String, _ reason: HTTPTransportError.Reason) {
        testDescription = description
        self.bytes = bytes
        self.reason = reason
    }

    static let all = [
        BrokenAnswer("another protocol", "SSH-2.0-x\r\n", .malformedAnswer),
        BrokenAnswer(
            "half a body",
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
            .connectionLost
        ),
        BrokenAnswer(
            "half a chunk",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
            .connectionLost
        ),
        BrokenAnswer("half a header", "HTTP/1.1 200 OK\r\nA: b\r\nC", .connectionLost),
        BrokenAnswer(
            "an enormous header",
            "HTTP/1.1 200 OK\r\nA: \(String(repeating: "a", count: 70_000))\r\n\r\n",
            .answerTooLarge
        ),
        BrokenAnswer("nothing", "", .connectionLost),
    ]
}
