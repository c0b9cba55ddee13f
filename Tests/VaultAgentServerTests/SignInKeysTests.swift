import FoundationEssentials
import Glibc
import Platform
import Testing
import VaultCrypto
import VaultStore

@testable import VaultAgentServer

/// New keys in the file while a person is at the browser.
@Suite(.timeLimit(.minutes(1))) struct SignInKeysTests {
    @Test func aCodeIsNotExchangedWhenItsGrantCouldNotBeStored() async throws {
        let agent = try await AgentFixture.locked()
        _ = await agent.unlock()
        let attempt = try await SignInAttempt.begin(agent)
        let file = try VaultFile(agent.location)
        _ = try file.rekey(authorizedBy: AgentFixture.typed, slots: [:], dropping: [], now: .now)
        let page = try #require(try await attempt.comeBack("code=canary-code"))
        #expect(page.body.contains("Not signed in"))
        #expect(await attempt.outcome() == "locked keys_replaced")
        #expect(agent.server.exchanges.isEmpty)
        await agent.service.stop()
    }

    @Test func aGrantIsKeptUntilTheKeyFileIsBack() async throws {
        let agent = try await AgentFixture.make()
        agent.server.gate.shut()
        let attempt = try await SignInAttempt.begin(agent)
        async let page = attempt.comeBack("code=canary-code")
        #expect(await eventually { agent.server.exchanges.count == 1 })
        let file = try VaultFile(agent.location)
        _ = try file.rekey(authorizedBy: .keyFile, slots: [:], dropping: [], now: .now)
        let key = agent.directory.path + "/key"
        #expect(rename(key, key + ".away") == 0)
        agent.server.gate.open()
        // The first try has failed by then, at the latest when the second comes.
        try await SystemClock().sleep(seconds: 0.05)
        #expect(attempt.signIn.outcome == nil)
        #expect(rename(key + ".away", key) == 0)
        #expect(await attempt.outcome() == "ready")
        _ = try await page
        await agent.service.stop()
    }
}
