import OAuth
import Platform
import Testing
import VaultAccess
import VaultHTTP

@Suite(.timeLimit(.minutes(1))) struct ResourceBodyTests {
    private let transport = CurlTransport()

    /// Answers each request with these bytes, then keeps the connection until the client ends it.
    private func server(_ answer: String) throws -> SocketServer {
        try SocketServer { connection in
            _ = try connection.readHead()
            try connection.write(answer)
            try connection.waitForEnd()
        }
    }

    @Test func theHeaderIsHandedOutBeforeTheBodyComes() async throws {
        let isAnswered = Locked(false)
        let server = try SocketServer { connection in
            _ = try connection.readHead()
            try connection.write(
                """
                HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n\
                HTTP/1.1 206 Partial Content\r\nA:  one \r\nB: two\r\n  folded\r\nA: three\r\n\
                Content-Length: 6\r\n\r\n
                """
            )
            try connection.wait { isAnswered.withLock { $0 } }
            try connection.write("abcdef")
            try connection.waitForEnd()
        }
        let response = try await transport.send(ResourceRequest(.get, server.url()))
        #expect(response.status == 206)
        #expect(response.headers.map(\.name) == ["A", "B", "A", "Content-Length"])
        #expect(response.values(of: "a") == ["one", "three"])
        #expect(response.header("B") == "two folded")
        isAnswered.withLock { $0 = true }
        #expect(try await response.text == "abcdef")
        server.stop()
    }

    @Test func eachPieceIsHandedOutBeforeTheNextComes() async throws {
        let wanted = Locked(0)
        let server = try SocketServer { connection in
            _ = try connection.readHead()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n")
            for number in 0..<20 {
                try connection.wait { wanted.withLock { $0 >= number } }
                try connection.write("x")
            }
            try connection.waitForEnd()
        }
        let response = try await transport.send(ResourceRequest(.get, server.url()))
        var count = 0
        for try await piece in response.body {
            #expect(piece == Array("x".utf8))
            count += 1
            wanted.withLock { $0 = count }
        }
        #expect(count == 20)
        server.stop()
    }

    @Test(
        "a body that breaks off is an error after what has come",
        arguments: [
            ("Content-Length: 10\r\n\r\nabc", HTTPTransportError.Reason.connectionLost),
            ("Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n5\r\n", .connectionLost),
            ("Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n", .connectionLost),
        ]
    )
    func broken(answer: String, reason: HTTPTransportError.Reason) async throws {
        let server = try SocketServer { connection in
            _ = try connection.readHead()
            try connection.write("HTTP/1.1 200 OK\r\n\(answer)")
        }
        let response = try await transport.send(ResourceRequest(.get, server.url()))
        var seen: [UInt8] = []
        let error = await #expect(throws: HTTPTransportError.self) {
            for try await piece in response.body { seen += piece }
        }
        #expect(error == .ambiguous(reason))
        #expect(seen == Array("abc".utf8))
        await #expect(throws: HTTPTransportError.ambiguous(reason)) {
            for try await _ in response.body {}
        }
        server.stop()
    }

    @Test(
        "an answer that never becomes one is an error",
        arguments: BrokenAnswer.all.filter {
            !$0.bytes.contains("\r\n\r\n") || $0.bytes.count > 1000
        }
    )
    func noAnswer(row: BrokenAnswer) async throws {
        let server = try SocketServer { connection in
            _ = try connection.readHead()
            _ = try connection.readBytes(3)
            try connection.write(row.bytes)
        }
        let request = ResourceRequest(.post, server.url(), body: .text("abc"))
        #expect(await transport.failure(of: request).transportError == .ambiguous(row.reason))
        #expect(server.connectionCount == 1)
        server.stop()
    }

    @Test func contentIsHandedOutAsItIsOnTheWire() async throws {
        let server = try server(
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\nnot zipped"
        )
        let response = try await transport.send(ResourceRequest(.get, server.url()))
        #expect(response.header("content-encoding") == "gzip")
        #expect(try await response.text == "not zippe")
        server.stop()
    }

    @Test func aServerCannotPushWhatNobodyReads() async throws {
        let bytes = [UInt8](repeating: 7, count: 64 << 20)
        let (held, hold) = AsyncStream.makeStream(of: Int.self)
        let server = try SocketServer { connection in
            _ = try connection.readHead()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
            let count = connection.writeUntilHeld(bytes)
            hold.yield(count)
            try connection.write(Array(bytes[count...]))
            try connection.waitForEnd()
        }
        let response = try await transport.send(ResourceRequest(.get, server.url(), idleLimit: 30))
        #expect(try #require(await held.first { _ in true }) < 16 << 20)
        var position = 0
        for try await piece in response.body {
            #expect(piece.count <= 512 << 10)
            position += piece.count
        }
        #expect(position == bytes.count)
        server.stop()
    }

    @Test func theLimitOfWhoCollectsIsKept() async throws {
        let server = try server("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n0123456789")
        let response = try await transport.send(ResourceRequest(.get, server.url()))
        await #expect(throws: HTTPTransportError.ambiguous(.answerTooLarge)) {
            try await response.body.collect(upTo: 9)
        }
        server.stop()
    }

    @Test func twoReadersShareABody() async throws {
        let server = try SocketServer { connection in
            _ = try connection.readHead()
            try connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<200 { try connection.write("3\r\nabc\r\n") }
            try connection.write("0\r\n\r\n")
            try connection.waitForEnd()
        }
        let response = try await transport.send(ResourceRequest(.get, server.url()))
        async let first = response.body.collect(upTo: 1000)
        async let second = response.body.collect(upTo: 1000)
        #expect(try await first.count + second.count == 600)
        server.stop()
    }

    @Test func aConnectionIsKeptForTheNextRequest() async throws {
        let server = try SocketServer { connection in
            for _ in 0..<20 {
                _ = try connection.readHead()
                try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        for _ in 0..<20 {
            #expect(try await transport.text(of: ResourceRequest(.get, server.url())).text == "ok")
        }
        // One, unless the machine is so busy that it was given up as too old.
        #expect(server.connectionCount < 10)
        server.stop()
    }
}
