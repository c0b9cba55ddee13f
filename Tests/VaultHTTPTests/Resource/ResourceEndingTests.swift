import OAuth
import Platform
import Testing
import VaultAccess
import VaultHTTP

/// Whatever ends an exchange ends it at once, and its connection with it.
@Suite(.timeLimit(.minutes(1))) struct ResourceEndingTests {
    private let transport = CurlTransport()

    /// Never answers, or never ends its answer; its connections end when the client ends them.
    private func slowServer(answering answer: String = "") throws -> SocketServer {
        try SocketServer { connection in
            _ = try connection.readHead()
            try connection.write(answer)
            try connection.waitForEnd()
        }
    }

    private static let begun = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc"

    @Test func cancellingBeforeTheAnswer() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let server = try SocketServer { connection in
            _ = try connection.readHead()
            start.yield()
            try connection.waitForEnd()
        }
        let request = ResourceRequest(.post, server.url(), body: .text("abc"))
        let task = Task { [transport] in try await transport.send(request).status }
        for await _ in started { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await server.waitForEnds()
        server.stop()
    }

    @Test func aTaskThatIsCancelledAlreadySendsNothing() async throws {
        let server = try slowServer()
        let request = ResourceRequest(.get, server.url())
        let task = Task { [transport] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.send(request).status
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(server.connectionCount == 0)
        server.stop()
    }

    /// Row CA-06 of the library's cases: a redirect that the caller followed changes nothing.
    @Test func cancellingInTheMiddleOfABodyAfterARedirect() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let server = try slowServer(answering: Self.begun)
        let first = try slowServer(
            answering:
                "HTTP/1.1 302 Found\r\nLocation: \(server.url())\r\nContent-Length: 0\r\n\r\n"
        )
        let task = Task { [transport] in
            let redirect = try await transport.send(ResourceRequest(.get, first.url()))
            let target = try EndpointURL(#require(redirect.header("location")))
            let response = try await transport.send(ResourceRequest(.get, target))
            for try await _ in response.body { start.yield() }
        }
        for await _ in started { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await server.waitForEnds()
        server.stop()
        first.stop()
    }

    @Test func lettingGoOfABodyEndsTheExchange() async throws {
        let server = try slowServer(answering: Self.begun)
        for _ in 0..<20 {
            let response = try await transport.send(ResourceRequest(.get, server.url()))
            #expect(response.status == 200)
        }
        await server.waitForEnds(20)
        server.stop()
    }

    @Test func lettingGoOfTheTransportLeavesABodyWhole() async throws {
        let server = try slowServer(
            answering: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"
        )
        let response = try await CurlTransport().send(ResourceRequest(.get, server.url()))
        #expect(try await response.text == "abc")
        server.stop()
    }

    @Test func closingEndsWhatIsOnItsWay() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let server = try SocketServer { connection in
            if try connection.readHead().hasPrefix("POST") {
                start.yield()
            } else {
                try connection.write(Self.begun)
            }
            try connection.waitForEnd()
        }
        let request = ResourceRequest(.post, server.url(), body: .text("abc"))
        async let waiting = transport.failure(of: request)
        let (pieces, _) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        let silent = ResourceRequest(.post, server.url(), body: .oneShot(pieces))
        async let unsent = transport.failure(of: silent)
        let response = try await transport.send(ResourceRequest(.get, server.url()))
        for await _ in started { break }
        transport.close()
        #expect(await waiting.transportError == .ambiguous(.refused))
        #expect(await unsent.transportError == .notSent(.refused))
        await #expect(throws: HTTPTransportError.ambiguous(.refused)) { try await response.text }
        #expect(await transport.failure(of: request).transportError == .notSent(.refused))
        await server.waitForEnds(2)
        server.stop()
    }

    @Test(
        "no header within the deadline is an error",
        arguments: ["", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n"]
    )
    func deadline(answer: String) async throws {
        let hasRead = Locked(false)
        let server = try SocketServer { connection in
            _ = try connection.readHead()
            hasRead.withLock { $0 = true }
            try connection.write(answer)
            try connection.waitForEnd()
        }
        let request = ResourceRequest(.get, server.url(), deadline: 1)
        let error = await transport.failure(of: request).transportError
        #expect(error?.reason == .timedOut)
        // A busy machine may not have come as far as that.
        guard hasRead.withLock({ $0 }) else { return }
        #expect(error == .ambiguous(.timedOut))
        await server.waitForEnds()
        server.stop()
    }

    @Test func theDeadlineCoversABodyThatDoesNotBegin() async throws {
        let server = try slowServer()
        let request = ResourceRequest(.post, server.url(), body: .stream { _ in }, deadline: 0.03)
        #expect(await transport.failure(of: request).transportError == .notSent(.timedOut))
        #expect(server.connectionCount == 0)
        server.stop()
    }

    @Test func theDeadlineCoversABodyThatDoesNotEnd() async throws {
        let hasRead = Locked(false)
        let server = try SocketServer { connection in
            _ = try connection.readHead()
            _ = try connection.readChunk()
            hasRead.withLock { $0 = true }
            try connection.waitForEnd()
        }
        let body = RequestBody.stream { $0.yield([1]) }
        let request = ResourceRequest(.post, server.url(), body: body, deadline: 1)
        let error = await transport.failure(of: request).transportError
        #expect(error?.reason == .timedOut)
        guard hasRead.withLock({ $0 }) else { return }
        #expect(error == .ambiguous(.timedOut))
        await server.waitForEnds()
        server.stop()
    }

    @Test func aBodyThatStandsStillWhileItIsReadIsAnError() async throws {
        let server = try slowServer(answering: Self.begun)
        let request = ResourceRequest(.get, server.url(), deadline: 10, idleLimit: 0.03)
        let response = try await transport.send(request)
        var count = 0
        let error = await #expect(throws: HTTPTransportError.self) {
            for try await piece in response.body { count += piece.count }
        }
        #expect(error == .ambiguous(.timedOut))
        #expect(count == 3)
        await server.waitForEnds()
        server.stop()
    }

    @Test func timeThatTheReaderTakesDoesNotCount() async throws {
        let (paused, pause) = AsyncStream.makeStream(of: Void.self)
        let server = try SocketServer { connection in
            _ = try connection.readHead()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
            Pause.milliseconds(50)
            try connection.write("def")
            pause.yield()
            try connection.waitForEnd()
        }
        let request = ResourceRequest(.get, server.url(), idleLimit: 0.02)
        let response = try await transport.send(request)
        for await _ in paused { break }
        #expect(try await response.text == "abcdef")
        server.stop()
    }
}
