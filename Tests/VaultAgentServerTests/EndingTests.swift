import FoundationEssentials
import Platform
import Testing
import VaultCrypto
import VaultHTTPServer
import VaultKit
import VaultSQLite
import VaultStore
import VaultTesting

@testable import VaultAgentServer

/// The end of an agent that has a pair which is nowhere else.
@Suite(.timeLimit(.minutes(1))) struct EndingTests {
    @Test func anEndWaitsUntilThePairIsStored() async throws {
        let unsaved = try await UnsavedAgent.make()
        let isStopped = Locked(false)
        async let stop: Void = {
            await unsaved.agent.service.stop()
            isStopped.withLock { $0 = true }
        }()
        #expect(await eventually { (try? unsaved.agent.vault) == nil })
        try await SystemClock().sleep(seconds: 0.05)
        #expect(!isStopped.withLock { $0 })
        try unsaved.mend()
        await stop
        #expect(try unsaved.stored().tokens.refreshToken == Secret("new-refresh"))
        #expect(try !unsaved.agent.log().contains("pair_lost"))
    }

    @Test func anEndFinishesTheRefreshThatIsInFlight() async throws {
        let server = ScriptedServer()
        let agent = try await AgentFixture.unlocked(server)
        server.answerNext(200, UnsavedAgent.granted)
        server.gate.shut()
        async let refresh = agent.answer("POST", "/v1/accounts/work/refresh")
        #expect(await eventually { server.exchanges.count == 1 })
        async let stop: Void = agent.service.stop()
        #expect(await eventually { (try? agent.vault) == nil })
        server.gate.open()
        await stop
        _ = await refresh
        let file = try VaultFile(agent.location)
        try file.unlock(with: AgentFixture.typed)
        #expect(try file.account(named: "work").tokens.refreshToken == Secret("new-refresh"))
    }

    @Test func anEndThatIsForcedGivesUpAfterAMinuteAndSaysWhosePairItWas() async throws {
        let clock = ManualClock()
        let unsaved = try await UnsavedAgent.make(clock: clock)
        let start = clock.now()
        await clock.passingSleeps(within: 30) { await unsaved.agent.service.stop() }
        #expect(clock.now().seconds(since: start) >= 60)
        let log = try unsaved.agent.log()
        #expect(log.contains(#"{"account":"work","time""#) && log.contains(#""what":"pair_lost""#))
    }

    @Test func anEndThatNobodyForcesWaitsOn() async throws {
        let clock = ManualClock()
        let unsaved = try await UnsavedAgent.make(clock: clock)
        let asked = Locked(0)
        await clock.passingSleeps(within: 30) {
            await unsaved.agent.service.stop {
                asked.withLock { asked in
                    asked += 1
                    return asked > 3
                }
            }
        }
        #expect(asked.withLock { $0 } == 4)
    }

    @Test func anEndDoesNotWaitForAFileThatIsGone() async throws {
        let clock = ManualClock()
        let unsaved = try await UnsavedAgent.make(clock: clock)
        try FileSystem.remove(unsaved.agent.location.database)
        await clock.passingSleeps(within: 30) { await unsaved.agent.service.stop { false } }
        #expect(try unsaved.agent.log().contains("pair_lost"))
    }

    @Test func aRequestToStopSaysThatAPairIsNotSaved() async throws {
        let unsaved = try await UnsavedAgent.make()
        let agent = unsaved.agent
        let refused = await agent.answer("POST", "/v1/stop")
        #expect(refused.status == 503 && refused.text.contains("not_saved"))
        #expect(agent.service.vault.isNeeded)
        #expect(await agent.answer("GET", "/v1/accounts").status == 200)
        try unsaved.mend()
        #expect(await eventually { await agent.answer("POST", "/v1/stop").status == 204 })
        await agent.service.stop()
    }

    @Test func onlyWhatIsCertainlyNotThereIsMissing() throws {
        let directory = try TemporaryDirectory()
        #expect(!FileSystem.isMissing(directory.path))
        #expect(FileSystem.isMissing(directory.path + "/none"))
        // A path that cannot be looked at: too long a name.
        let long = String(repeating: "x", count: 300)
        #expect(!FileSystem.isMissing(directory.path + "/" + long))
    }
}

/// An agent with a pair that its file does not take, until it is mended.
private struct UnsavedAgent {
    static let granted =
        #"{"access_token":"new-access","refresh_token":"new-refresh","expires_in":7200}"#

    let agent: AgentFixture

    static func make(clock: any VaultClock = SystemClock()) async throws -> UnsavedAgent {
        let server = ScriptedServer()
        let agent = try await AgentFixture.unlocked(server, clock: clock)
        let saboteur = try Connection(path: agent.location.database, mode: .readWrite)
        try saboteur.execute("ALTER TABLE spent_token RENAME COLUMN spent_at TO broken")
        server.answerNext(200, granted)
        #expect(await agent.answer("POST", "/v1/accounts/work/refresh").status == 503)
        return UnsavedAgent(agent: agent)
    }

    func mend() throws {
        let connection = try Connection(path: agent.location.database, mode: .readWrite)
        try connection.execute("ALTER TABLE spent_token RENAME COLUMN broken TO spent_at")
    }

    func stored() throws -> StoredAccount {
        let file = try VaultFile(agent.location)
        try file.unlock(with: AgentFixture.typed)
        return try file.account(named: "work")
    }
}
