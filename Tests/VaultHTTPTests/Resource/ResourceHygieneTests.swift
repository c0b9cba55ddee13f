import Glibc
import OAuth
import Platform
import Testing
import VaultAccess
import VaultCrypto
import VaultHTTP
import VaultHTTPServer

/// What the transport never does with a request that carries a token.
@Suite(.timeLimit(.minutes(1))) struct ResourceHygieneTests {
    private let transport = CurlTransport()

    /// Row HT-01 of the library's cases.
    @Test(
        "a 401 is handed out at once, whatever its challenges",
        arguments: [
            ["Basic realm=\"a\""], ["Bearer", "Basic realm=\"a\""],
            ["Bearer error=\"invalid_token\", Basic realm=\"a\""], ["NTLM"], ["Negotiate"],
            ["Digest realm=\"a\", nonce=\"b\", qop=\"auth\""], ["Bearer", "NTLM", "Negotiate"],
        ]
    )
    func challenge(challenges: [String]) async throws {
        let server = try RecordingServer { _, _ in
            .response(
                HTTPServerResponse(
                    status: 401,
                    headers: challenges.map { ("WWW-Authenticate", $0) },
                    text: "no"
                )
            )
        }
        for body in [RequestBody.none, .text("abc"), .texts(["abc"])] {
            let request = ResourceRequest(
                .post,
                server.url(),
                headers: [HTTPHeader("Authorization", "Bearer abc")],
                body: body,
                deadline: 10
            )
            let response = try await transport.send(request)
            #expect(response.status == 401)
            #expect(response.values(of: "www-authenticate") == challenges)
            #expect(try await response.text == "no")
        }
        #expect(server.requests.count == 3)
        await server.stop()
    }

    /// Row HT-02 of the library's cases: the target sees nothing, so no token either.
    @Test("a redirect is the answer", arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) async throws {
        let target = try SocketServer { try $0.waitForEnd() }
        let places = ["\(target.url())", "https://127.0.0.1:\(target.port)/", "/here"]
        for place in places {
            let server = try RecordingServer { _, _ in
                .response(HTTPServerResponse(status: status, headers: [("Location", place)]))
            }
            let request = ResourceRequest(
                .get,
                server.url(),
                headers: [HTTPHeader("Authorization", "Bearer abc"), HTTPHeader("DPoP", "abc")]
            )
            let response = try await transport.send(request)
            #expect(response.status == status)
            #expect(response.header("location") == place)
            #expect(try await response.text == "")
            #expect(server.requests.count == 1)
            await server.stop()
        }
        #expect(target.connectionCount == 0)
        target.stop()
    }

    /// Row HT-03 of the library's cases.
    @Test(
        "the redirect of a POST is the answer, and its body is not sent again",
        arguments: [
            307, 308,
        ]
    )
    func redirectOfAPost(status: Int) async throws {
        let server = try RecordingServer { _, _ in
            .response(HTTPServerResponse(status: status, headers: [("Location", "/elsewhere")]))
        }
        for body in [RequestBody.text("hello"), .texts(["hel", "lo"])] {
            let request = ResourceRequest(.post, server.url(), body: body)
            #expect(try await transport.text(of: request).status == status)
        }
        #expect(server.requests.map(\.body) == [Array("hello".utf8), Array("hello".utf8)])
        await server.stop()
    }

    @Test(
        "on a kept connection that dies, only a GET or HEAD may be sent again",
        arguments: [
            ("POST", RequestBody.text("abc")), ("POST", .texts(["abc"])),
            ("PUT", .texts(["abc"], length: 3)), ("POST", .none), ("DELETE", .none),
            ("PATCH", .none),
            ("GET", .text("abc")),
        ]
    )
    func dyingConnection(method: String, body: RequestBody) async throws {
        let requests = Locked(0)
        let server = try SocketServer { connection in
            while true {
                _ = try connection.readHead()
                let isFirst = requests.withLock { requests in
                    requests += 1
                    return requests == 1
                }
                guard isFirst else { return }
                try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst")
            }
        }
        #expect(try await transport.text(of: ResourceRequest(.get, server.url())).text == "first")
        let request = ResourceRequest(.init(rawValue: method), server.url(), body: body)
        #expect(await transport.failure(of: request).transportError == .ambiguous(.connectionLost))
        #expect(requests.withLock { $0 } == 2)
        server.stop()
    }

    @Test(arguments: ["GET", "HEAD"])
    func onAKeptConnectionThatDiesARequestToReadIsSentAgain(method: String) async throws {
        let server = try SocketServer { connection in
            for _ in 0..<(connection.number == 1 ? 1 : 2) {
                _ = try connection.readHead()
                try connection.write("HTTP/1.1 204 No Content\r\n\r\n")
            }
            _ = try connection.readHead()
        }
        let request = ResourceRequest(.init(rawValue: method), server.url())
        for _ in 0..<3 { #expect(try await transport.text(of: request).status == 204) }
        // A kept one that has become too old is not tried at all.
        #expect((2...3).contains(server.connectionCount))
        server.stop()
    }

    @Test(
        "no body to rewind, no kept connection",
        arguments: [
            ("GET", 1), ("HEAD", 1), ("POST", 2), ("DELETE", 2), ("PATCH", 2),
        ]
    )
    func freshConnection(method: String, connections: Int) async throws {
        let server = try SocketServer { connection in
            while true {
                _ = try connection.readHead()
                try connection.write("HTTP/1.1 204 No Content\r\n\r\n")
            }
        }
        for method in ["GET", method] {
            let request = ResourceRequest(.init(rawValue: method), server.url())
            #expect(try await transport.text(of: request).status == 204)
        }
        #expect(server.connectionCount == connections)
        server.stop()
    }

    @Test func cookiesAreNotKept() async throws {
        let server = try RecordingServer { _, _ in
            .response(HTTPServerResponse(status: 200, headers: [("Set-Cookie", "a=b")]))
        }
        for _ in 0..<2 { _ = try await transport.text(of: ResourceRequest(.get, server.url())) }
        #expect(server.requests.map { $0.header("cookie") } == [nil, nil])
        await server.stop()
    }

    @Test func credentialsAndProxiesOfTheEnvironmentAreIgnored() async {
        await #expect(processExitsWith: .success) {
            for name in ["http_proxy", "all_proxy", "ALL_PROXY"] {
                setenv(name, "http://127.0.0.1:1", 1)
            }
            let home = "/tmp/vault-netrc-\(getpid())"
            mkdir(home, 0o700)
            defer {
                unlink("\(home)/.netrc")
                rmdir(home)
            }
            let file = fopen("\(home)/.netrc", "w")
            fputs("default login a password b\n", file)
            fclose(file)
            setenv("HOME", home, 1)
            let server = try RecordingServer(always: .text("direct"))
            let answer = try await CurlTransport().text(of: ResourceRequest(.get, server.url()))
            #expect(answer.text == "direct")
            #expect(server.requests.map { $0.header("authorization") } == [nil])
        }
    }

    /// Row SF-14 of the library's cases: a refresh never waits behind those who wait for it.
    @Test func anyNumberOfRequestsLeavesRoomForARefresh() async throws {
        let server = try SocketServer { connection in
            if try connection.readHead().hasPrefix("POST /token") {
                try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\ntoken")
            }
            try connection.waitForEnd()
        }
        let tasks = (0..<200).map { _ in
            Task { [transport] in
                try await transport.send(ResourceRequest(.get, server.url())).status
            }
        }
        while server.connectionCount < tasks.count { try await Task.sleep(for: .milliseconds(1)) }
        let refresh = HTTPRequest(.post, server.url("/token"), body: Secret("a=b"), deadline: 5)
        #expect(try await transport.send(refresh).text == "token")
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        server.stop()
    }
}
