import Glibc
import Platform
import Testing
import VaultHTTPServer

@Suite struct HTTPServerLifeTests {
    private let request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

    @Test func stoppingLetsARunningHandlerFinish() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let server = try HTTPServer(on: .loopback()) { _ in
            start.yield()
            try? await Task.sleep(for: .milliseconds(30))
            return .response(HTTPServerResponse(status: 200, text: "done"))
        }
        async let body = onThread { [port = server.port, request] in
            let client = try RawClient.connected(port: port)
            client.send(request)
            return client.answer()?.body
        }
        for await _ in started { break }
        await server.stop()
        #expect(try await body == "done")
    }

    @Test func aHandlerThatNeverEndsIsCutOff() async throws {
        var limits = HTTPServerLimits()
        limits.stopSeconds = 0.02
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let server = try HTTPServer(on: .loopback(), limits: limits) { _ in
            start.yield()
            try? await Task.sleep(for: .seconds(60))
            return .response(HTTPServerResponse(status: Task.isCancelled ? 500 : 200))
        }
        async let text = onThread { [port = server.port, request] in
            let client = try RawClient.connected(port: port)
            client.send(request)
            return client.rest()
        }
        for await _ in started { break }
        await server.stop()
        #expect(try await text.isEmpty)
    }

    @Test func aStoppedServerAcceptsNothingAndCanBeStoppedAgain() async throws {
        let server = try HTTPServer(on: .loopback()) { _ in .drop }
        let port = server.port
        await server.stop()
        await server.stop()
        await #expect(throws: SystemError.connectionRefused) {
            try await onThread { _ = try RawClient.connected(port: port) }
        }
    }

    /// Between connecting and asking a client knows of no reason to try again.
    @Test func whoHasJustConnectedIsAnswered() async throws {
        let server = try HTTPServer(on: .loopback()) { _ in
            .response(HTTPServerResponse(status: 200, text: "done"))
        }
        let (connected, connect) = AsyncStream.makeStream(of: Void.self)
        async let body = onThread { [port = server.port, request] in
            let client = try RawClient.connected(port: port)
            connect.yield()
            usleep(20_000)
            client.send(request)
            return client.answer()?.body
        }
        for await _ in connected { break }
        await server.stop()
        #expect(try await body == "done")
    }

    @Test func aConnectionThatSaysNothingHardlyDelaysTheStop() async throws {
        let server = try HTTPServer(on: .loopback()) { _ in .drop }
        let (connected, connect) = AsyncStream.makeStream(of: Void.self)
        async let rest = onThread { [port = server.port] in
            let client = try RawClient.connected(port: port)
            connect.yield()
            return client.rest()
        }
        for await _ in connected { break }
        let begin = ContinuousClock.now
        await server.stop()
        #expect(begin.duration(to: .now) < .seconds(2))
        #expect(try await rest.isEmpty)
    }

    @Test func anIdleKeptConnectionDoesNotDelayTheStop() async throws {
        let server = try HTTPServer(on: .loopback()) { _ in .response(.init(status: 200)) }
        let (answered, answer) = AsyncStream.makeStream(of: Void.self)
        async let rest = onThread { [port = server.port, request] in
            let client = try RawClient.connected(port: port)
            client.send(request)
            _ = client.answer()
            answer.yield()
            return client.rest()
        }
        for await _ in answered { break }
        await server.stop()
        #expect(try await rest.isEmpty)
    }

    @Test func theLastReferenceEndsTheServer() async throws {
        weak let held: Canary?
        do {
            let canary = Canary()
            held = canary
            let server = try HTTPServer(on: .loopback()) { _ in
                .response(HTTPServerResponse(status: 200, text: canary.word))
            }
            let body = try await onThread { [port = server.port, request] in
                let client = try RawClient.connected(port: port)
                client.send(request)
                return client.answer()?.body
            }
            #expect(body == "alive")
        }
        #expect(await becomesNil { held })
    }

    @Test func clientsThatLeaveEarlyLeaveNothingBehind() async throws {
        weak let held: Canary?
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        do {
            let canary = Canary()
            held = canary
            let server = try HTTPServer(on: .loopback()) { _ in
                start.yield()
                try? await Task.sleep(for: .milliseconds(20))
                return .response(HTTPServerResponse(status: 200, text: canary.word))
            }
            let partial = [
                "", "GET", "GET / HTTP/1.1\r\nHo", "GET / HTTP/1.1\r\nHost: h\r\n: \r\n\r\n",
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc", request,
            ]
            try await onThread { [port = server.port] in
                for text in partial { try RawClient.connected(port: port).send(text) }
            }
            for await _ in started { break }
            await server.stop()
        }
        #expect(await becomesNil { held })
    }

    private func becomesNil(_ object: () -> Canary?) async -> Bool {
        for _ in 0..<200 {
            if object() == nil { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}

/// Something a handler holds, to see it go.
private final class Canary: Sendable {
    let word = "alive"
}
