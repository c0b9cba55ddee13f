import Platform
import Testing
import VaultHTTPServer
import VaultKit
import VaultStore
import VaultTesting

@testable import VaultAgentServer

/// Whose work the log of what was done says that something is.
@Suite(.timeLimit(.minutes(1))) struct ActorTests {
    private static let own = "\(ProcessIdentity.name) \(ProcessIdentity.current)"

    private func ask(_ agent: AgentFixture, _ target: String, _ body: String = "") async -> Int {
        let request = HTTPServerRequest(
            method: "POST",
            target: target,
            body: Array(body.utf8),
            process: 4711
        )
        return await agent.answer(request).status
    }

    private func actors(_ agent: AgentFixture, of action: ActivityAction) throws -> [String] {
        let file = try VaultFile(agent.location)
        return try file.activity(after: nil, limit: 100).filter { $0.action == action.rawValue }
            .map(\.actor)
    }

    /// What the agent does by itself is not that of whoever unlocked it.
    @Test func aRequestIsItsClientsAndARenewalIsTheAgents() async throws {
        let clock = ManualClock()
        let agent = try await AgentFixture.locked(clock: clock)
        #expect(await ask(agent, "/v1/unlock", AgentFixture.passphrase) == 200)
        #expect(await ask(agent, "/v1/accounts", Addition().json) == 201)
        #expect(try actors(agent, of: .accountAdded) == ["\(Self.own) for 4711"])
        // Stored, and not only answered: an agent that stops waits by this clock, which runs ahead.
        let isRenewed = await clock.passingSleeps(within: 60) {
            await eventually { (try? actors(agent, of: .refreshed).isEmpty) == false }
        }
        #expect(isRenewed)
        await clock.passingSleeps(within: 60) { await agent.service.stop() }
        let refreshed = try actors(agent, of: .refreshed)
        #expect(!refreshed.isEmpty && refreshed.allSatisfy { $0 == Self.own }, "\(refreshed)")
    }
}
