import OAuth
import Platform
import Testing
import VaultAccess
import VaultHTTP
import VaultHTTPServer

@Suite(.timeLimit(.minutes(1))) struct ResourceUploadTests {
    private let transport = CurlTransport()

    private func post(_ server: SocketServer, _ body: RequestBody) -> ResourceRequest {
        ResourceRequest(.post, server.url(), body: body)
    }

    @Test("pieces arrive in their order", arguments: [Int?.none, 1_000_000])
    func pieces(length: Int?) async throws {
        let server = try RecordingServer { request, _ in
            .response(HTTPServerResponse(status: 200, body: request.body))
        }
        let body = RequestBody.stream(length: length) { body in
            for number in 0..<1000 {
                body.yield([UInt8](repeating: UInt8(number % 251), count: 1000))
            }
            body.finish()
        }
        let request = ResourceRequest(.put, server.url(), body: body)
        let answer = try await transport.send(request).body.collect(upTo: 1 << 20)
        #expect(answer == (0..<1_000_000).map { UInt8($0 / 1000 % 251) })
        let seen = try #require(server.requests.first)
        #expect(seen.header("content-length") == length.map(String.init))
        #expect((seen.header("transfer-encoding") == "chunked") == (length == nil))
        await server.stop()
    }

    @Test func aPieceIsSentBeforeTheNextIsThere() async throws {
        let (pieces, piece) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        let server = try SocketServer { connection in
            _ = try connection.readHead()
            var count: UInt8 = 0
            while try !connection.readChunk().isEmpty {
                count += 1
                if count < 20 { piece.yield([count]) } else { piece.finish() }
            }
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\(count)")
        }
        piece.yield([0])
        #expect(try await transport.text(of: post(server, .oneShot(pieces))).text == "20")
        server.stop()
    }

    @Test func aBodyIsMadeAnewForEachSending() async throws {
        let server = try RecordingServer { request, _ in
            .response(HTTPServerResponse(status: 200, body: request.body))
        }
        let made = Locked(0)
        let body = RequestBody.replayable {
            let number = made.withLock { made in
                made += 1
                return made
            }
            return AsyncThrowingStream {
                $0.yield(Array("\(number)".utf8)); $0.finish()
            }
        }
        let request = ResourceRequest(.post, server.url(), body: body)
        #expect(try await transport.text(of: request).text == "1")
        #expect(try await transport.text(of: request).text == "2")
        await server.stop()
    }

    @Test("a source that fails at once sends nothing", arguments: [true, false])
    func failingSource(isMade: Bool) async throws {
        let server = try RecordingServer(always: .text(""))
        let body =
            isMade
            ? RequestBody.stream { $0.finish(throwing: SourceFailure()) }
            : .replayable { throw SourceFailure() }
        let request = ResourceRequest(.post, server.url(), body: body)
        #expect(await transport.failure(of: request) is SourceFailure)
        #expect(server.requests.isEmpty)
        await server.stop()
    }

    @Test("a source that fails on the way ends the exchange", arguments: [Int?.none, 10])
    func sourceFailingOnTheWay(length: Int?) async throws {
        let (pieces, piece) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        let server = try SocketServer { connection in
            _ = try connection.readHead()
            piece.finish(throwing: SourceFailure())
            try connection.waitForEnd()
        }
        piece.yield([1])
        let request = post(server, .oneShot(length: length, pieces))
        #expect(await transport.failure(of: request) is SourceFailure)
        await server.waitForEnds()
        server.stop()
    }

    @Test(
        "a body that is seen to have another length than declared before a byte left is not sent",
        arguments: [
            (["abc"], 2), (["ab", "c"], 2), ([], 1), (["a"], 0), (["", "a"], 0),
        ]
    )
    func wrongLength(pieces: [String], declared: Int) async throws {
        let server = try SocketServer { try $0.waitForEnd() }
        let request = post(server, .texts(pieces, length: declared))
        #expect(await transport.failure(of: request).transportError == .notSent(.refused))
        #expect(server.connectionCount == 0)
        server.stop()
    }

    /// The piece that makes up the length waits for the end behind it, or two would be a whole body.
    @Test(
        "a body that turns out to have another length than declared is never taken for a whole one",
        arguments: [("abc", [], 4), ("ab", ["c"], 4), ("a", ["b", "c"], 2), ("a", ["bc"], 2)]
    )
    func wrongLengthOnTheWay(first: String, rest: [String], declared: Int) async throws {
        let wholeBodies = Locked(0)
        let (pieces, piece) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        let server = try SocketServer { connection in
            _ = try connection.readHead()
            _ = try connection.readBytes(first.utf8.count)
            for text in rest { piece.yield(Array(text.utf8)) }
            piece.finish()
            _ = try connection.readBytes(declared - first.utf8.count)
            wholeBodies.withLock { $0 += 1 }
        }
        piece.yield(Array(first.utf8))
        let request = post(server, .oneShot(length: declared, pieces))
        #expect(await transport.failure(of: request).transportError == .ambiguous(.refused))
        await server.waitForEnds()
        #expect(wholeBodies.withLock { $0 } == 0)
        server.stop()
    }

    /// Its header has the token, which a server that read it may have acted upon.
    @Test func aRequestOfWhichTheServerReadTheHeaderIsNotSaidToBeUnsent() async throws {
        let heads = Locked(0)
        let server = try SocketServer { connection in
            _ = try connection.readHead()
            heads.withLock { $0 += 1 }
            try connection.waitForEnd()
        }
        var errors: [HTTPTransportError?] = []
        for turns in 0..<300 {
            let pieces = Locked(["a"])
            let stream = AsyncThrowingStream<[UInt8], any Error> {
                if let piece = pieces.withLock({ $0.popLast() }) { return Array(piece.utf8) }
                for _ in 0..<turns * 4 { await Task.yield() }
                return nil
            }
            let request = post(server, .oneShot(length: 2, stream))
            errors.append(await transport.failure(of: request).transportError)
        }
        let ambiguous = errors.count { $0 == .ambiguous(.refused) }
        #expect(errors.count { $0 == .notSent(.refused) } == errors.count - ambiguous)
        if ambiguous > 0 { await server.waitForEnds(ambiguous) }
        #expect(heads.withLock { $0 } <= ambiguous)
        server.stop()
    }

    /// The error may go last on the transport's thread, and there the transport it holds would wait
    /// for its own thread for ever.
    @Test func anErrorOfTheSourceMayHoldTheLastTransport() async throws {
        let server = try SocketServer { connection in
            let isUpload = try connection.readHead().hasPrefix("POST")
            if !isUpload { try connection.write("HTTP/1.1 204 No Content\r\n\r\n") }
            try connection.waitForEnd()
        }
        for _ in 0..<50 {
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            try await failUpload(to: server, end)
            for await _ in ends { break }
        }
        server.stop()
    }

    private func failUpload(
        to server: SocketServer,
        _ end: AsyncStream<Void>.Continuation
    ) async throws {
        let held = CurlTransport()
        #expect(try await held.send(ResourceRequest(.get, server.url())).status == 204)
        let body = RequestBody.stream { body in
            body.yield([1])
            body.finish(throwing: HoldingFailure(transport: held, end: end))
        }
        #expect(await transport.failure(of: post(server, body)) is HoldingFailure)
    }

    @Test func aServerThatDoesNotReadHoldsTheSource() async throws {
        let given = Locked(0)
        let body = RequestBody.replayable {
            AsyncThrowingStream {
                given.withLock { $0 += 64 << 10 }
                return given.withLock { $0 } <= 64 << 20
                    ? [UInt8](repeating: 7, count: 64 << 10) : nil
            }
        }
        let held = Locked(0)
        let server = try SocketServer { connection in
            _ = try connection.readHead()
            var last = -1
            while last != given.withLock({ $0 }) {
                last = given.withLock { $0 }
                Pause.milliseconds(50)
            }
            held.withLock { $0 = last }
            while try !connection.readChunk().isEmpty {}
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        #expect(try await transport.text(of: post(server, body)).text == "ok")
        #expect(held.withLock { $0 } < 16 << 20)
        server.stop()
    }
}
