import OAuth
import Platform
import Testing
import VaultAgentClient
import VaultCrypto
import VaultKit
import VaultTesting

@testable import VaultAgentServer

/// What a program without keys is told of is what it would be told by the vault.
@Suite(.timeLimit(.minutes(1))) struct VaultAgentEventsTests {
    @Test func eventsAreTheVaultsOwn() async throws {
        try await ServedAgent.use { agent in
            // The vault is told first, so that the stream finds all of it in the file.
            try await agent.add("work")
            agent.server.answerNext(400, #"{"error":"invalid_grant"}"#)
            #expect(await vaultError { try await agent.client.refresh("work") } != nil)
            var own = try agent.vault.events.makeAsyncIterator()
            var events = agent.client.events.makeAsyncIterator()
            let dead = try await events.next()
            #expect(dead == (await own.next()))
            #expect(dead?.kind == .signInNeeded && dead?.account == "work")
            let position = try #require(dead?.position)
            try await agent.add("other")
            #expect(try await events.next()?.kind == .signedIn(generation: 1))
            var later = agent.client.events(after: position).makeAsyncIterator()
            async let next = later.next()
            // It is there once the agent has a place for it.
            #expect(await eventually { agent.fixture.service.eventSeats.count == 2 })
            agent.grantNext("other-2")
            try await agent.client.refresh("other")
            let refreshed = try await next
            #expect(refreshed?.account == "other")
            guard case .refreshed(2, let expiry?) = refreshed?.kind else {
                Issue.record("\(String(describing: refreshed))")
                return
            }
            #expect(expiry > agent.clock.now().wall)
        }
    }

    @Test func aLockEndsThem() async throws {
        try await ServedAgent.use { agent in
            async let error = vaultError {
                var events = agent.client.events.makeAsyncIterator()
                return try await events.next()
            }
            #expect(await eventually { agent.fixture.service.eventSeats.count == 1 })
            try await agent.fixture.service.vault.lock(because: .asked)
            #expect(await error?.code == .locked)
            let refused = await vaultError {
                var events = agent.client.events.makeAsyncIterator()
                return try await events.next()
            }
            #expect(refused?.code == .locked && refused?.facts[.reason] == "asked")
        }
    }

    @Test func theEndOfTheAgentEndsThem() async throws {
        let (results, result) = AsyncStream<VaultError?>.makeStream()
        try await ServedAgent.use { agent in
            // Ends with the agent.
            Task {
                var events = agent.client.events.makeAsyncIterator()
                result.yield(await vaultError { try await events.next() })
            }
            #expect(await eventually { agent.fixture.service.eventSeats.count == 1 })
        }
        for await error in results {
            // While it is about to end it may say so itself.
            #expect(error?.code == .noAgent || error?.code == .busy)
            break
        }
    }

    @Test func whoIsCancelledLeavesAtOnce() async throws {
        try await ServedAgent.use { agent in
            let listening = Task {
                var events = agent.client.events.makeAsyncIterator()
                let first = try await events.next()
                return (first, try await events.next())
            }
            #expect(await eventually { agent.fixture.service.eventSeats.count == 1 })
            listening.cancel()
            let (first, second) = try await listening.value
            #expect(first == nil && second == nil)
            // The agent finds out by the next line that it writes.
            #expect(
                await eventually {
                    agent.clock.advance(by: 20)
                    return agent.fixture.service.eventSeats.count == 0
                }
            )
        }
    }

    @Test func withoutAnAgentThereAreNone() async throws {
        let fixture = try await AgentFixture.make()
        let client = try VaultAgent(fixture.location)
        let error = await vaultError {
            var events = client.events.makeAsyncIterator()
            return try await events.next()
        }
        #expect(error?.code == .noAgent)
        await fixture.service.stop()
    }
}
