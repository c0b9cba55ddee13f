import Glibc
import OAuth
import Testing
import VaultCrypto
import VaultHTTP
import VaultHTTPServer

@Suite struct CurlTransportTests {
    private let transport = CurlTransport()

    @Test func aPostArrivesExactly() async throws {
        let server = try RecordingServer(always: .text("answer"))
        let body = Secret(bytes: Array(0...255))
        let request = HTTPRequest(
            .post,
            server.url("/token?x=%20"),
            headers: [
                HTTPHeader("Authorization", "Basic abc"), HTTPHeader("X-Empty", ""),
                HTTPHeader("Content-Type", "application/octet-stream"),
                HTTPHeader("Accept", "application/json"),
            ],
            body: body
        )
        let response = try await transport.send(request)
        #expect(response.status == 200)
        #expect(response.text == "answer")
        let seen = try #require(server.requests.first)
        #expect(seen.method == "POST")
        #expect(seen.target == "/token?x=%20")
        #expect(seen.body == Array(0...255))
        #expect(seen.header("authorization") == "Basic abc")
        #expect(seen.header("accept") == "application/json")
        #expect(seen.header("content-type") == "application/octet-stream")
        #expect(seen.header("content-length") == "256")
        #expect(seen.header("x-empty") == "")
        #expect(seen.header("user-agent") == "vault/1")
        #expect(seen.header("expect") == nil)
        #expect(seen.header("accept-encoding") == nil)
        await server.stop()
    }

    @Test("bodies of every size arrive whole", arguments: [0, 1, 1023, 70_000, 900_000])
    func bodySize(count: Int) async throws {
        let server = try RecordingServer { request, _ in
            .response(HTTPServerResponse(status: 200, body: request.body))
        }
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let request = HTTPRequest(.post, server.url(), body: Secret(bytes: bytes))
        let response = try await transport.send(request)
        #expect(response.body == Secret(bytes: bytes))
        await server.stop()
    }

    @Test func aGetHasNoBodyAndItsAnswerKeepsItsHeaders() async throws {
        let server = try RecordingServer(
            always: .raw(
                Array(
                    """
                    HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n\
                    HTTP/1.1 404 Not Found\r\nA:  one \r\nB: two\r\n  folded\r\nA: three\r\n\
                    Empty:\r\nContent-Length: 2\r\n\r\nno
                    """.utf8
                )
            )
        )
        let response = try await transport.send(HTTPRequest(.get, server.url()))
        #expect(response.status == 404)
        #expect(response.text == "no")
        #expect(response.headers.map(\.name) == ["A", "B", "A", "Empty", "Content-Length"])
        #expect(response.headers.map(\.value) == ["one", "two folded", "three", "", "2"])
        #expect(response.header("b") == "two folded")
        #expect(server.requests.first?.method == "GET")
        #expect(server.requests.first?.header("content-length") == nil)
        await server.stop()
    }

    @Test("a redirect is an answer like any other", arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) async throws {
        let server = try RecordingServer { _, _ in
            .response(HTTPServerResponse(status: status, headers: [("Location", "/elsewhere")]))
        }
        let request = HTTPRequest(.post, server.url(), body: Secret("a=b"))
        let response = try await transport.send(request)
        #expect(response.status == status)
        #expect(response.header("location") == "/elsewhere")
        #expect(server.requests.count == 1)
        await server.stop()
    }

    @Test func aChallengeIsNotAnsweredByTheTransport() async throws {
        let server = try RecordingServer { _, _ in
            .response(HTTPServerResponse(status: 401, headers: [("WWW-Authenticate", "Basic")]))
        }
        let request = HTTPRequest(.post, server.url(), body: Secret("a=b"))
        #expect(try await transport.send(request).status == 401)
        #expect(server.requests.count == 1)
        await server.stop()
    }

    @Test func twoHundredRequestsAtOnceGetTheirOwnAnswers() async throws {
        let server = try RecordingServer { request, _ in
            .response(HTTPServerResponse(status: 200, body: request.body))
        }
        let right = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask { [transport] in
                    let request = HTTPRequest(.post, server.url(), body: Secret("body \(number)"))
                    return await (try? transport.send(request))?.text == "body \(number)"
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(right == 200)
        #expect(server.requests.count == 200)
        await server.stop()
    }

    @Test func aCancelledCallerStillGetsTheAnswer() async throws {
        let server = try RecordingServer(always: .text("kept"))
        let request = HTTPRequest(.post, server.url(), body: Secret("a=b"))
        let task = Task { [transport] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.send(request)
        }
        #expect(try await task.value.text == "kept")
        await server.stop()
    }

    @Test(
        "header fields that would change the request are refused",
        arguments: [
            ("A\r\nB", "x"), ("A", "x\r\nB: y"), ("A", "x\0y"), ("", "x"), ("A:", "x"), ("A;", ""),
            ("A B", "x"), ("Ä", "x"), ("A\u{7F}", "x"),
        ]
    )
    func refusedHeader(name: String, value: String) async throws {
        let server = try RecordingServer(always: .text(""))
        let request = HTTPRequest(.get, server.url(), headers: [HTTPHeader(name, value)])
        #expect(await transport.failure(of: request) == .notSent(.refused))
        #expect(server.requests.isEmpty)
        await server.stop()
    }

    @Test func aClosedTransportFinishesWhatRunsAndRefusesTheRest() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let server = try RecordingServer { _, _ in
            start.yield()
            try? await Task.sleep(for: .milliseconds(20))
            return .text("late")
        }
        let request = HTTPRequest(.post, server.url(), body: Secret("a=b"))
        async let running = transport.outcome(of: request)
        for await _ in started { break }
        transport.close()
        #expect(await transport.failure(of: request) == .notSent(.refused))
        #expect(try await running.get().text == "late")
        await server.stop()
    }

    @Test func theUserAgentIsOneField() async throws {
        let server = try RecordingServer(always: .text(""))
        let transport = CurlTransport(userAgent: "one\r\nX-Two: \0three\n")
        _ = try await transport.send(HTTPRequest(.get, server.url()))
        let seen = try #require(server.requests.first)
        #expect(seen.header("user-agent") == "oneX-Two: three")
        #expect(seen.header("x-two") == nil)
        await server.stop()
    }

    @Test func proxiesOfTheEnvironmentAreIgnored() async {
        await #expect(processExitsWith: .success) {
            for name in ["http_proxy", "all_proxy", "ALL_PROXY"] {
                setenv(name, "http://127.0.0.1:1", 1)
            }
            let server = try RecordingServer(always: .text("direct"))
            let response = try await CurlTransport().send(HTTPRequest(.get, server.url()))
            #expect(response.text == "direct")
        }
    }
}
