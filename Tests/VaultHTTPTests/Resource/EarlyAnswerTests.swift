import OAuth
import Platform
import Testing
import VaultAccess
import VaultHTTP

/// Answers that come while the request's body is still on its way (RFC 9112 §9.5).
@Suite(.timeLimit(.minutes(1))) struct EarlyAnswerTests {
    private let transport = CurlTransport()

    /// Which ways of sending meet which ways of ending an answer.
    struct Row: Sendable, CustomTestStringConvertible {
        let length: Int?
        /// Whether the source has no more pieces for now.
        let isStalled: Bool
        let status: Int
        let answer: Answer

        var testDescription: String {
            let source =
                "\(length == nil ? "chunks" : "length"), \(isStalled ? "stalled" : "flowing")"
            return "\(source), \(status), \(answer)"
        }

        static let all = [nil, 64 << 20].flatMap { length in
            [true, false].flatMap { isStalled in
                [413, 200].flatMap { status in
                    Answer.allCases.map {
                        Row(length: length, isStalled: isStalled, status: status, answer: $0)
                    }
                }
            }
        }
    }

    enum Answer: String, CaseIterable {
        case length = "Content-Length: 4\r\n\r\nnope"
        case closingLength = "Connection: close\r\nContent-Length: 4\r\n\r\nnope"
        case closing = "Connection: close\r\n\r\nnope"
        case closingChunks =
            "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nnope\r\n0\r\n\r\n"
    }

    @Test("what comes before the end of the body is the answer", arguments: Row.all)
    func early(row: Row) async throws {
        let isWhole = Locked(false)
        let server = try SocketServer { connection in
            _ = try connection.readHead()
            try connection.write("HTTP/1.1 \(row.status) Early\r\n\(row.answer.rawValue)")
            if row.answer == .closing { connection.endWriting() }
            if row.length == nil {
                while try !connection.readChunk().isEmpty {}
            } else {
                _ = try connection.readBytes(64 << 20)
            }
            isWhole.withLock { $0 = true }
        }
        let (status, text) = try await transport.text(
            of: ResourceRequest(.post, server.url(), body: Self.body(row), idleLimit: 5)
        )
        #expect(status == row.status)
        #expect(text == "nope")
        await server.waitForEnds()
        #expect(!isWhole.withLock { $0 })
        server.stop()
    }

    @Test("an answer that never has a body is whole at once", arguments: [204, 200])
    func noBody(status: Int) async throws {
        let server = try SocketServer { connection in
            _ = try connection.readHead()
            let length = status == 204 ? "" : "Content-Length: 0\r\n"
            try connection.write("HTTP/1.1 \(status) Early\r\n\(length)\r\n")
            try connection.waitForEnd()
        }
        let request = ResourceRequest(
            .post,
            server.url(),
            body: .stream { $0.yield([7]) },
            idleLimit: 5
        )
        #expect(try await transport.text(of: request).text == "")
        await server.waitForEnds()
        server.stop()
    }

    private static func body(_ row: Row) -> RequestBody {
        guard row.isStalled else {
            let left = Locked(1024)
            return .replayable(length: row.length) {
                AsyncThrowingStream {
                    let isLeft = left.withLock { left in
                        left -= 1
                        return left >= 0
                    }
                    return isLeft ? [UInt8](repeating: 7, count: 64 << 10) : nil
                }
            }
        }
        return .stream(length: row.length) { $0.yield([7]) }
    }

    @Test func anAnswerInTheMiddleOfTheBodyIsReadWhileTheRestIsSent() async throws {
        let (pieces, piece) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        let server = try SocketServer { connection in
            _ = try connection.readHead()
            try connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while true {
                let chunk = try connection.readChunk()
                try connection.write(
                    "\(chunk.count)\r\n\(String(decoding: chunk, as: UTF8.self))\r\n"
                )
                if chunk.isEmpty { break }
            }
        }
        piece.yield(Array("1".utf8))
        let request = ResourceRequest(.post, server.url(), body: .oneShot(pieces))
        let response = try await transport.send(request)
        var echoes = response.body.makeAsyncIterator()
        for number in 2..<9 {
            #expect(try await echoes.next() == Array("\(number - 1)".utf8))
            piece.yield(Array("\(number)".utf8))
        }
        #expect(try await echoes.next() == Array("8".utf8))
        piece.finish()
        #expect(try await echoes.next() == nil)
        server.stop()
    }

    @Test func aSourceThatIsNotWantedAnyMoreIsCancelled() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        let (pieces, piece) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        piece.onTermination = {
            if case .cancelled = $0 { end.yield(true) } else { end.yield(false) }
        }
        let server = try SocketServer { connection in
            _ = try connection.readHead()
            try connection.write("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
            try connection.waitForEnd()
        }
        piece.yield([1])
        let request = ResourceRequest(.post, server.url(), body: .oneShot(pieces))
        #expect(try await transport.send(request).status == 401)
        #expect(await ends.first { _ in true } == true)
        server.stop()
    }

    /// A transport that goes waits for its thread: never on another transport's.
    @Test func aSourceThatIsNotWantedAnyMoreMayHoldTheLastTransport() async throws {
        let server = try SocketServer { connection in
            let isUpload = try connection.readHead().hasPrefix("POST")
            try connection.write("HTTP/1.1 40\(isUpload ? 1 : 4) No\r\nContent-Length: 0\r\n\r\n")
            try connection.waitForEnd()
        }
        for _ in 0..<20 {
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let request = ResourceRequest(
                .post,
                server.url(),
                body: try await Self.body(server, end)
            )
            #expect(try await transport.send(request).status == 401)
            for await _ in ends { break }
        }
        server.stop()
    }

    /// A stalled body whose source holds a transport of its own until it ends.
    private static func body(
        _ server: SocketServer,
        _ end: AsyncStream<Void>.Continuation
    ) async throws -> RequestBody {
        let held = CurlTransport()
        #expect(try await held.send(ResourceRequest(.get, server.url())).status == 404)
        return .stream { body in
            body.onTermination = { [held] _ in withExtendedLifetime(held) { _ = end.yield() } }
            body.yield([1])
        }
    }
}
