import OAuth
import Platform
import Testing
import VaultAgentClient
import VaultCrypto
import VaultHTTPServer
import VaultKit
import VaultStore
import VaultTesting

@testable import VaultAgentServer

/// The lines of `/v1/events`, as the server asks for them.
@Suite(.timeLimit(.minutes(1))) struct EventStreamTests {
    /// A stream that a request began; nil where it was refused.
    private static func begin(
        _ agent: AgentFixture,
        _ target: String = "/v1/events"
    ) async -> HTTPServerStream? {
        let request = HTTPServerRequest(method: "GET", target: target)
        guard case .stream(let stream) = await AgentRoutes(service: agent.service).serve(request)
        else { return nil }
        return stream
    }

    private static func next(_ stream: HTTPServerStream) async throws -> EventDocument {
        let line = try #require(await stream.next())
        #expect(line.last == UInt8(ascii: "\n") && !line.dropLast().contains(UInt8(ascii: "\n")))
        return try WireJSON.decode(EventDocument.self, from: line)
    }

    @Test func tellsOfEachEventInALine() async throws {
        let agent = try await AgentFixture.make()
        let stream = try #require(await Self.begin(agent))
        #expect(stream.status == 200)
        #expect(stream.headers.first { $0.name == "Content-Type" }?.value == "application/x-ndjson")
        _ = await agent.answer("POST", "/v1/accounts", body: Addition().json)
        let added = try await Self.next(stream)
        #expect(added.kind == "signed_in" && added.account == "work" && added.generation == 1)
        agent.server.answerNext(400, #"{"error":"invalid_grant"}"#)
        _ = await agent.answer("POST", "/v1/accounts/work/refresh")
        var kinds: [String] = []
        var position: Int64?
        while position == nil {
            let event = try await Self.next(stream)
            kinds.append(event.kind)
            position = event.position
        }
        #expect(kinds.last == "sign_in_needed")
        _ = await agent.answer("DELETE", "/v1/accounts/work")
        #expect(try await Self.next(stream).kind == "removed")
        await agent.service.stop()
    }

    @Test func goesOnFromAPosition() async throws {
        let agent = try await AgentFixture.make()
        _ = await agent.answer("POST", "/v1/accounts", body: Addition().json)
        agent.server.answerNext(400, #"{"error":"invalid_grant"}"#)
        _ = await agent.answer("POST", "/v1/accounts/work/refresh")
        let first = try #require(await Self.begin(agent))
        let dead = try await Self.next(first)
        #expect(dead.kind == "sign_in_needed")
        let position = try #require(dead.position)
        let before = try #require(await Self.begin(agent, "/v1/events?after=\(position - 1)"))
        #expect(try await Self.next(before) == dead)
        let after = try #require(await Self.begin(agent, "/v1/events?after=\(position)"))
        _ = await agent.answer("DELETE", "/v1/accounts/work")
        #expect(try await Self.next(after).kind == "removed")
        await agent.service.stop()
    }

    @Test func silenceIsToldOfAndKeepsTheAgent() async throws {
        let clock = ManualClock()
        let agent = try await AgentFixture.make(clock: clock)
        let stream = try #require(await Self.begin(agent))
        async let line = stream.next()
        let isTold = Locked(false)
        let driver = Task {
            while !isTold.withLock({ $0 }) {
                clock.advance(by: 1)
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        let document = try await WireJSON.decode(EventDocument.self, from: #require(line))
        isTold.withLock { $0 = true }
        try await driver.value
        #expect(document == .alive)
        await agent.service.stop()
    }

    @Test("its last line says why it is that", arguments: [false, true])
    func last(byLock: Bool) async throws {
        let agent = try await AgentFixture.make()
        let stream = try #require(await Self.begin(agent))
        async let line = stream.next()
        if byLock {
            #expect(await agent.answer("POST", "/v1/lock").status == 200)
        } else {
            await agent.service.stop()
        }
        let document = try await WireJSON.decode(EventDocument.self, from: #require(line))
        #expect(document == .closed(byLock ? "locked" : "stopping"))
        #expect(await stream.next() == nil)
        await agent.service.stop()
    }

    @Test func aLockedAgentHasNone() async throws {
        let agent = try await AgentFixture.make()
        #expect(await agent.answer("POST", "/v1/lock").status == 200)
        #expect(await agent.answer("GET", "/v1/events").status == 423)
        await agent.service.stop()
    }

    @Test func thereAreSixtyFourAtATime() async throws {
        let agent = try await AgentFixture.make()
        var streams: [HTTPServerStream] = []
        for _ in 0..<EventSeats.limit { streams.append(try #require(await Self.begin(agent))) }
        let refused = await agent.answer("GET", "/v1/events")
        #expect(refused.status == 503)
        let failure = try WireJSON.decode(ErrorDocument.self, from: refused.body).error
        #expect(failure.code == "busy" && failure.facts == ["reason": "event_streams"])
        streams.removeLast()
        #expect(agent.service.eventSeats.count == EventSeats.limit - 1)
        #expect(await Self.begin(agent) != nil)
        streams = []
        #expect(agent.service.eventSeats.count == 0)
        await agent.service.stop()
    }
}
