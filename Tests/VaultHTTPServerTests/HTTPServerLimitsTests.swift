import Platform
import Testing
import VaultHTTPServer

@Suite struct HTTPServerLimitsTests {
    private static let length: HTTPServer.Handler = { request in
        .response(HTTPServerResponse(status: 200, text: "\(request.body.count)"))
    }

    private func post(_ count: Int, chunked: Bool = false) -> String {
        let body = String(repeating: "x", count: count)
        let start = "POST / HTTP/1.1\r\nHost: h\r\n"
        return chunked
            ? "\(start)Transfer-Encoding: chunked\r\n\r\n\(String(count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
            : "\(start)Content-Length: \(count)\r\n\r\n\(body)"
    }

    @Test(
        "a body over the limit is answered 413",
        arguments: [
            (1000, false, 200), (1001, false, 413), (60_000, false, 413), (1000, true, 200),
            (1001, true, 413), (60_000, true, 413),
        ]
    )
    func bodyLimit(count: Int, chunked: Bool, status: Int) async throws {
        var limits = HTTPServerLimits()
        limits.bodyBytes = 1000
        let server = try HTTPServer(on: .loopback(), limits: limits, handler: Self.length)
        let text = post(count, chunked: chunked)
        let answer = try await onThread { [port = server.port] in
            let client = try RawClient.connected(port: port)
            client.send(text)
            return client.answer()
        }
        #expect(answer?.status == status)
        #expect(answer?.body == (status == 200 ? "\(count)" : ""))
        await server.stop()
    }

    @Test func aHopelessBodyIsRefusedByItsDeclaredLength() async throws {
        let server = try HTTPServer(on: .loopback(), handler: Self.length)
        let answer = try await onThread { [port = server.port] in
            let client = try RawClient.connected(port: port)
            client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999\r\n\r\n")
            return client.answer()
        }
        #expect(answer?.status == 413)
        await server.stop()
    }

    @Test(
        "header fields up to 8 KiB are read, huge ones are not",
        arguments: [
            (8192, 200), (200_000, 431),
        ]
    )
    func headerLimit(count: Int, status: Int) async throws {
        let server = try HTTPServer(on: .loopback(), handler: Self.length)
        let answer = try await onThread { [port = server.port] in
            let client = try RawClient.connected(port: port)
            client.send(
                "GET / HTTP/1.1\r\nHost: h\r\nA: \(String(repeating: "a", count: count))\r\n\r\n"
            )
            return client.answer()
        }
        #expect(answer?.status == status)
        await server.stop()
    }

    @Test("too many header fields are refused", arguments: [(99, 200), (100, 431)])
    func fieldLimit(count: Int, status: Int) async throws {
        var limits = HTTPServerLimits()
        limits.refusal = { HTTPServerResponse(status: $0, text: "refused") }
        let server = try HTTPServer(on: .loopback(), limits: limits, handler: Self.length)
        let answer = try await onThread { [port = server.port] in
            let client = try RawClient.connected(port: port)
            let fields = String(repeating: "A: b\r\n", count: count)
            client.send("GET / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
            return client.answer()
        }
        #expect(answer?.status == status)
        #expect(answer?.body == (status == 200 ? "0" : "refused"))
        await server.stop()
    }

    @Test func oneConnectionTooManyFindsASeat() async throws {
        var limits = HTTPServerLimits()
        limits.connections = 2
        let server = try HTTPServer(on: .loopback(), limits: limits, handler: Self.length)
        let bodies = try await onThread { [port = server.port, text = post(3)] in
            var seated = try [RawClient.connected(port: port), RawClient.connected(port: port)]
            var bodies = seated.map { client in
                client.send(text)
                return client.answer()?.body
            }
            let waiting = try RawClient.connected(port: port)
            waiting.send(text)
            seated.removeLast()
            bodies.append(waiting.answer()?.body)
            return bodies
        }
        #expect(bodies == ["3", "3", "3"])
        await server.stop()
    }

    /// Row F-52 of the fault matrix: half a request, or none, holds nobody up.
    @Test func whoSendsNoRequestGivesUpTheSeatToTheNext() async throws {
        var limits = HTTPServerLimits()
        limits.connections = 2
        let server = try HTTPServer(on: .loopback(), limits: limits, handler: Self.length)
        let answers = try await onThread { [port = server.port, text = post(3)] in
            let silent = try (1...5).map { _ in try RawClient.connected(port: port) }
            for client in silent { client.send("GET / HT") }
            let client = try RawClient.connected(port: port)
            client.send(text)
            return [client.answer()?.body, silent[0].answer()?.body]
        }
        #expect(answers == ["3", nil])
        await server.stop()
    }

    @Test func whoWaitsForAnAnswerKeepsTheSeat() async throws {
        var limits = HTTPServerLimits()
        limits.connections = 1
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        let (releases, release) = AsyncStream<Void>.makeStream()
        let server = try HTTPServer(on: .loopback(), limits: limits) { request in
            if request.target == "/slow" {
                arrived.yield()
                for await _ in releases { break }
            }
            return .response(HTTPServerResponse(status: 200, text: request.target))
        }
        let port = server.port
        async let slow = onThread {
            let client = try RawClient.connected(port: port)
            client.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n")
            return client.answer()?.body
        }
        for await _ in arrivals { break }
        async let quick = onThread {
            let client = try RawClient.connected(port: port)
            client.send("GET /quick HTTP/1.1\r\nHost: h\r\n\r\n")
            return client.answer()?.body
        }
        try await Task.sleep(for: .milliseconds(50))
        release.yield()
        #expect(try await slow == "/slow")
        #expect(try await quick == "/quick")
        await server.stop()
    }
}
