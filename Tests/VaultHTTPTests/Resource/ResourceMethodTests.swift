import OAuth
import Testing
import VaultAccess
import VaultHTTP
import VaultHTTPServer

@Suite(.timeLimit(.minutes(1))) struct ResourceMethodTests {
    private let transport = CurlTransport()

    @Test(
        "a method goes out as it is, and says a length where one is due",
        arguments: [
            ("GET", RequestBody.none, nil), ("DELETE", .none, nil), ("OPTIONS", .none, nil),
            ("purge", .none, nil), ("POST", .none, "0"), ("PUT", .none, "0"), ("PATCH", .none, "0"),
            ("DELETE", .bytes([]), "0"), ("GET", .text("abc"), "3"), ("POST", .text("abc"), "3"),
            ("PUT", .text("abc"), "3"), ("M-SEARCH", .text("abc"), "3"),
            ("REPORT", .texts(["ab", "", "c"], length: 3), "3"),
            ("POST", .texts(["", ""]), "0"), ("POST", .texts([], length: 0), "0"),
        ] as [(String, RequestBody, String?)]
    )
    func method(name: String, body: RequestBody, length: String?) async throws {
        let server = try RecordingServer(always: .text("answer"))
        let request = ResourceRequest(.init(rawValue: name), server.url("/a?b=%20"), body: body)
        let (status, text) = try await transport.text(of: request)
        #expect(status == 200)
        #expect(text == "answer")
        let seen = try #require(server.requests.first)
        #expect(seen.method == name)
        #expect(seen.target == "/a?b=%20")
        #expect(seen.header("content-length") == length)
        #expect(seen.header("transfer-encoding") == nil)
        #expect(String(decoding: seen.body, as: UTF8.self) == (length == "3" ? "abc" : ""))
        await server.stop()
    }

    /// A signature or a proof may cover the target (RFC 9449 §4.2).
    @Test("a target goes out as it is", arguments: ["/a/../b/./c?d=/../e", "/../", "/a//b/.."])
    func target(path: String) async throws {
        let server = try RecordingServer(always: .text(""))
        _ = try await transport.text(of: ResourceRequest(.get, server.url(path)))
        #expect(server.requests.map(\.target) == [path])
        await server.stop()
    }

    @Test func headerFieldsArriveAsTheyAreAndFewAreAdded() async throws {
        let server = try RecordingServer(always: .text(""))
        let request = ResourceRequest(
            .post,
            server.url(),
            headers: [
                HTTPHeader("Authorization", "Bearer abc"), HTTPHeader("X-Empty", ""),
                HTTPHeader("Accept", "application/json"),
            ],
            body: .text("abc")
        )
        _ = try await transport.text(of: request)
        let seen = try #require(server.requests.first)
        #expect(seen.header("authorization") == "Bearer abc")
        #expect(seen.header("x-empty") == "")
        #expect(seen.header("accept") == "application/json")
        #expect(seen.header("user-agent") == "vault/1")
        for name in ["content-type", "expect", "accept-encoding", "cookie"] {
            #expect(seen.header(name) == nil)
        }
        await server.stop()
    }

    @Test(
        "an answer that never has a body is not waited for",
        arguments: [
            ("HEAD", "200 OK"), ("GET", "204 No Content"), ("GET", "304 Not Modified"),
        ]
    )
    func noBody(method: String, status: String) async throws {
        let server = try SocketServer { connection in
            _ = try connection.readHead()
            try connection.write("HTTP/1.1 \(status)\r\nContent-Length: 5000000\r\n\r\n")
            try connection.waitForEnd()
        }
        let request = ResourceRequest(.init(rawValue: method), server.url())
        let response = try await transport.send(request)
        #expect(response.header("content-length") == "5000000")
        #expect(try await response.text == "")
        server.stop()
    }

    @Test(
        "what would not be what it says is refused",
        arguments: [
            ("", "A", RequestBody.none, 1.0), ("G ET", "A", .none, 1), ("GET\r\n", "A", .none, 1),
            ("GÉT", "A", .none, 1), ("CONNECT", "A", .none, 1), ("HEAD", "A", .text(""), 1),
            ("GET", "A\r\nB", .none, 1), ("GET", "", .none, 1), ("GET", "A:", .none, 1),
            ("GET", "A;", .none, 1), ("GET", "A(", .none, 1), ("GET", "Ä", .none, 1),
            ("POST", "Content-Length", .none, 1), ("POST", "transfer-encoding", .none, 1),
            ("POST", "A", .texts([], length: -1), 1), ("GET", "A", .none, 0),
            ("GET", "A", .none, .nan),
        ]
    )
    func refused(method: String, field: String, body: RequestBody, limit: Double) async throws {
        let server = try RecordingServer(always: .text(""))
        var request = ResourceRequest(
            .init(rawValue: method),
            server.url(),
            headers: [HTTPHeader(field, "x")],
            body: body,
            deadline: limit
        )
        #expect(await transport.failure(of: request).transportError == .notSent(.refused))
        (request.deadline, request.idleLimit) = (1, limit)
        #expect(await transport.failure(of: request).transportError == .notSent(.refused))
        #expect(server.requests.isEmpty)
        await server.stop()
    }
}
