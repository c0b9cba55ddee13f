import Platform
import Testing
import VaultHTTPServer

@Suite(.timeLimit(.minutes(1))) struct HTTPServerStreamTests {
    /// A stream of what is written to it, and who asks for it.
    private final class Source: Sendable {
        let asked = Locked(0)
        let ends = Locked(0)
        private let pieces: AsyncStream<String>
        private let continuation: AsyncStream<String>.Continuation

        init() {
            (pieces, continuation) = AsyncStream.makeStream()
        }

        func write(_ text: String) { continuation.yield(text) }
        func finish() { continuation.finish() }

        func answer(_ request: HTTPServerRequest) -> HTTPServerAnswer {
            guard request.path == "/stream" else {
                return .response(HTTPServerResponse(status: 200, text: "quick"))
            }
            return .stream(
                HTTPServerStream(headers: [("Content-Type", "text/plain")]) { [self] in
                    asked.withLock { $0 += 1 }
                    for await text in pieces { return Array(text.utf8) }
                    ends.withLock { $0 += 1 }
                    return Task.isCancelled ? Array("stopped".utf8) : nil
                }
            )
        }
    }

    private static func get(_ path: String, version: String = "1.1") -> String {
        "GET \(path) HTTP/\(version)\r\nHost: h\r\n\r\n"
    }

    private func use(
        _ source: Source,
        limits: HTTPServerLimits = HTTPServerLimits(),
        _ body: (HTTPServer) async throws -> Void
    ) async throws {
        let server = try HTTPServer(on: .loopback(), limits: limits) { source.answer($0) }
        try await body(server)
        await server.stop()
    }

    @Test(
        "pieces go out as they come",
        arguments: [
            ("1.1", "3\r\none\r\n", "3\r\ntwo\r\n0\r\n\r\n"), ("1.0", "one", "two"),
        ]
    )
    func pieces(version: String, first: String, rest: String) async throws {
        let source = Source()
        try await use(source) { server in
            source.write("one")
            let (head, second) = try await onThread { [port = server.port] in
                let client = try RawClient.connected(port: port)
                client.send(Self.get("/stream", version: version))
                // The first is there before the second is written.
                let head = client.text(upTo: first)
                source.write("two")
                source.finish()
                if version == "1.1" { return (head, client.text(upTo: rest)) }
                return (head, client.rest())
            }
            #expect(head?.hasPrefix("HTTP/1.1 200") == true)
            #expect(head?.contains("Content-Type: text/plain") == true)
            #expect(second == rest)
        }
    }

    @Test func aConnectionServesOnAfterAStream() async throws {
        let source = Source()
        try await use(source) { server in
            source.finish()
            let next = try await onThread { [port = server.port] in
                let client = try RawClient.connected(port: port)
                client.send(Self.get("/stream"))
                _ = client.text(upTo: "0\r\n\r\n")
                client.send(Self.get("/"))
                return client.answer()?.body
            }
            #expect(next == "quick")
        }
    }

    @Test func aHeadRequestAsksForNothing() async throws {
        let source = Source()
        try await use(source) { server in
            let head = try await onThread { [port = server.port] in
                let client = try RawClient.connected(port: port)
                client.send("HEAD /stream HTTP/1.0\r\n\r\n")
                return client.rest()
            }
            #expect(head.hasPrefix("HTTP/1.1 200") && head.hasSuffix("\r\n\r\n"))
            #expect(source.asked.withLock { $0 } == 0)
        }
    }

    @Test func whoDoesNotReadIsAskedForNoMoreAndHoldsUpNobody() async throws {
        let asked = Locked(0)
        let piece = [UInt8](repeating: 120, count: 64 << 10)
        let server = try HTTPServer(on: .loopback()) { request in
            guard request.path == "/stream" else {
                return .response(HTTPServerResponse(status: 200, text: "quick"))
            }
            return .stream(
                HTTPServerStream(headers: []) {
                    asked.withLock { $0 += 1 }
                    return piece
                }
            )
        }
        let (counts, quick) = try await onThread { [port = server.port] in
            let deaf = try RawClient.connected(port: port)
            deaf.send(Self.get("/stream"))
            var counts = [-1]
            // Until two looks find the same: what the kernel buffers is full.
            repeat {
                Pause.milliseconds(50)
                counts.append(asked.withLock { $0 })
            } while counts.suffix(2).first != counts.last || counts.last == 0
            let client = try RawClient.connected(port: port)
            client.send(Self.get("/"))
            return (counts, client.answer()?.body)
        }
        #expect(quick == "quick")
        #expect((counts.last ?? 0) < 256, "16 MiB")
        await server.stop()
    }

    @Test func aClientThatGoesEndsItsStream() async throws {
        let (departures, departed) = AsyncStream<Void>.makeStream()
        let server = try HTTPServer(on: .loopback()) { _ in
            let guest = Guest(departed)
            return .stream(
                HTTPServerStream(headers: []) {
                    guard (try? await Task.sleep(for: .milliseconds(5))) != nil else { return nil }
                    return guest.word
                }
            )
        }
        try await onThread { [port = server.port] in
            let client = try RawClient.connected(port: port)
            client.send(Self.get("/stream"))
            _ = client.text(upTo: "alive")
        }
        // Nobody tells a server of that; the next piece that it writes does.
        for await _ in departures { break }
        await server.stop()
    }

    @Test func aStopEndsStreamsWithTheirLastPiece() async throws {
        let source = Source()
        let server = try HTTPServer(on: .loopback()) { source.answer($0) }
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        async let text = onThread { [port = server.port] in
            let client = try RawClient.connected(port: port)
            client.send(Self.get("/stream"))
            _ = client.text(upTo: "one\r\n")
            // The second piece is being waited for.
            while source.asked.withLock({ $0 }) < 2 { Pause.milliseconds(1) }
            arrived.yield()
            return client.rest()
        }
        source.write("one")
        for await _ in arrivals { break }
        await server.stop()
        #expect(try await text == "7\r\nstopped\r\n0\r\n\r\n")
        #expect(source.ends.withLock { $0 } == 1)
    }

    @Test func aStopWaitsForNobodyWhoDoesNotReadAStream() async throws {
        let (questions, asked) = AsyncStream<Void>.makeStream()
        let piece = [UInt8](repeating: 120, count: 64 << 10)
        let server = try HTTPServer(on: .loopback()) { _ in
            .stream(
                HTTPServerStream(headers: []) {
                    asked.yield()
                    return piece
                }
            )
        }
        let port = server.port
        let (stops, stop) = AsyncStream<Void>.makeStream()
        async let deaf: Void = onThread {
            let client = try RawClient.connected(port: port)
            client.send(Self.get("/stream"))
            while client.isOpen { Pause.milliseconds(20) }
            stop.yield()
        }
        for await _ in questions { break }
        let start = ContinuousClock.now
        await server.stop()
        #expect(ContinuousClock.now - start < .seconds(10))
        for await _ in stops { break }
        try await deaf
    }
}

/// Says when nobody has it any more.
private final class Guest: Sendable {
    let word = Array("alive".utf8)
    private let departed: AsyncStream<Void>.Continuation

    init(_ departed: AsyncStream<Void>.Continuation) {
        self.departed = departed
    }

    deinit {
        departed.yield()
    }
}
