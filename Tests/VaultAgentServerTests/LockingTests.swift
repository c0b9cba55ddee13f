import FoundationEssentials
import Platform
import Testing
import VaultAgentClient
import VaultCrypto
import VaultHTTPServer
import VaultKit
import VaultSQLite
import VaultStore
import VaultTesting

@testable import VaultAgentServer

/// From unlocked to locked and back, with everything that may be going on meanwhile.
@Suite struct LockingTests {
    @Test func lockingLetsGoOfTheKeys() async throws {
        let agent = try await AgentFixture.unlocked()
        weak let vault = try agent.vault
        #expect(vault != nil)
        let answer = await agent.answer("POST", "/v1/lock")
        #expect(answer.status == 200)
        let document = try WireJSON.decode(LockedDocument.self, from: answer.body)
        #expect(document.agent.locked == true && document.lapsing.map(\.name) == ["work"])
        #expect(document.lapsing.first?.expiresAt != nil)
        #expect(await eventually { vault == nil }, "somebody keeps the keys")
        #expect(await agent.answer("GET", "/v1/accounts/work/token").status == 423)
        #expect(await agent.unlock().status == 200)
        #expect(await agent.answer("GET", "/v1/accounts/work/token").status == 200)
        await agent.service.stop()
    }

    @Test func aRefreshInFlightIsStoredFirst() async throws {
        let server = ScriptedServer()
        let agent = try await AgentFixture.unlocked(server)
        server.answerNext(
            200,
            #"{"access_token":"new-access","refresh_token":"new-refresh","expires_in":7200}"#
        )
        server.gate.shut()
        async let refresh = agent.answer("POST", "/v1/accounts/work/refresh")
        #expect(await eventually { server.exchanges.count == 1 })
        async let lock = agent.answer("POST", "/v1/lock")
        #expect(await eventually { agent.service.vault.lockReason == "asked" })
        // The keys are still there, and nobody gets at them.
        #expect(await agent.answer("GET", "/v1/accounts/work/token").status == 423)
        let early = await agent.unlock()
        #expect(early.status == 503 && early.text.contains("locking"))
        #expect(agent.service.vault.isNeeded)
        server.gate.open()
        #expect(await lock.status == 200)
        _ = await refresh
        #expect(await agent.unlock().status == 200)
        let token = await agent.answer("GET", "/v1/accounts/work/token")
        #expect(token.text.contains("new-access"))
        await agent.service.stop()
    }

    @Test func aPairThatIsNotSavedIsNotGivenUp() async throws {
        let server = ScriptedServer()
        let agent = try await AgentFixture.unlocked(server)
        let saboteur = try Connection(path: agent.location.database, mode: .readWrite)
        try saboteur.execute("ALTER TABLE spent_token RENAME COLUMN spent_at TO broken")
        server.answerNext(
            200,
            #"{"access_token":"new-access","refresh_token":"new-refresh","expires_in":7200}"#
        )
        #expect(await agent.answer("POST", "/v1/accounts/work/refresh").status == 503)
        let refused = await agent.answer("POST", "/v1/lock")
        #expect(refused.status == 503 && refused.text.contains("not_saved"))
        #expect(try await agent.status().locked == false)
        try saboteur.execute("ALTER TABLE spent_token RENAME COLUMN broken TO spent_at")
        #expect(await eventually { await agent.answer("POST", "/v1/lock").status == 200 })
        #expect(await agent.unlock().status == 200)
        let token = await agent.answer("GET", "/v1/accounts/work/token")
        #expect(token.text.contains("new-access"))
        await agent.service.stop()
    }

    /// Row F14 of the command line's cases: what lapses meanwhile is said, and nothing is lost.
    @Test func locksItselfWhenItsTimeIsUp() async throws {
        let clock = ManualClock()
        let agent = try await AgentFixture.unlocked(clock: clock)
        let body = #"{"passphrase":"canary-passphrase","lockAfterSeconds":3600}"#
        #expect(await agent.unlock(body).status == 200)
        let date = try #require(try await agent.status().locksAt)
        #expect(date == clock.now().wall.addingTimeInterval(3600))
        let sooner = await agent.answer("POST", "/v1/lock", body: #"{"afterSeconds":60}"#)
        #expect(sooner.status == 200)
        let document = try WireJSON.decode(LockedDocument.self, from: sooner.body)
        #expect(document.agent.locked == false && document.agent.locksAt != nil)
        #expect(document.lapsing.map(\.name) == ["work"])
        try await clock.waitForSleeper(within: 30)
        clock.advance(by: 59)
        #expect(try await agent.status().locked == false)
        #expect(
            try await eventually {
                clock.advance(by: 1)
                return try await agent.status().locked == true
            }
        )
        let locked = try await agent.status()
        #expect(locked.lockReason == "time" && locked.locksAt == nil)
        await agent.service.stop()
    }

    @Test func aLockByHandForgetsTheTime() async throws {
        let agent = try await AgentFixture.unlocked()
        _ = await agent.answer("POST", "/v1/lock", body: #"{"afterSeconds":3600}"#)
        _ = await agent.answer("POST", "/v1/lock")
        _ = await agent.unlock()
        #expect(try await agent.status().locksAt == nil)
        // Nothing to lock later.
        _ = await agent.answer("POST", "/v1/lock")
        _ = await agent.answer("POST", "/v1/lock", body: #"{"afterSeconds":3600}"#)
        #expect(try await agent.status().locksAt == nil)
        await agent.service.stop()
    }

    @Test("refuses a delay", arguments: ["[]", #"{"afterSeconds":0}"#, #"{"afterSeconds":1e12}"#])
    func delay(body: String) async throws {
        let agent = try await AgentFixture.unlocked()
        #expect(await agent.answer("POST", "/v1/lock", body: body).status == 400)
        #expect(try await agent.status().locked == false)
        await agent.service.stop()
    }

    @Test func oneThatIsUnlockedChecksTheSecretAllTheSame() async throws {
        let agent = try await AgentFixture.unlocked()
        #expect(await agent.unlock(#"{"passphrase":"canary-wrong"}"#).status == 423)
        #expect(try await agent.status().locked == false)
        #expect(await agent.unlock().status == 200)
        #expect(await agent.answer("GET", "/v1/accounts/work/token").status == 200)
        await agent.service.stop()
    }

    @Test func wrongSecretsAreAnsweredLaterEachTime() async throws {
        let clock = ManualClock()
        let agent = try await AgentFixture.locked(clock: clock)
        let wrong = #"{"passphrase":"canary-wrong"}"#
        #expect(await agent.unlock(wrong).status == 423)
        for seconds in [1.0, 2, 4] {
            async let answer = agent.unlock(wrong)
            try await clock.waitForSleepers(1)
            // The agent answers everybody else meanwhile.
            #expect(try await agent.status().locked == true)
            #expect(!clock.advanceToNextWake(within: seconds - 0.5))
            #expect(clock.advanceToNextWake(within: seconds))
            #expect(await answer.status == 423)
        }
        #expect(await agent.unlock().status == 200)
        _ = await agent.answer("POST", "/v1/lock")
        // The right one was given: the next mistake is the first again.
        #expect(await agent.unlock(wrong).status == 423)
        await agent.service.stop()
    }

    @Test func aWrongSecretKeepsNobodysRightOneOut() async throws {
        let clock = ManualClock()
        let agent = try await AgentFixture.locked(clock: clock)
        let wrong = #"{"passphrase":"canary-wrong"}"#
        #expect(await agent.unlock(wrong).status == 423)
        async let answer = agent.unlock(wrong)
        try await clock.waitForSleepers(1)
        #expect(await agent.unlock().status == 200)
        #expect(try await agent.status().locked == false)
        #expect(clock.advanceToNextWake(within: 1))
        #expect(await answer.status == 423)
        // The wrong one says nothing about the keys that are there.
        #expect(try await agent.status().locked == false)
        await agent.service.stop()
    }

    @Test func thePaceHasAnEnd() {
        var pace = UnlockPace()
        let waits = (0..<8).map { _ in pace.failed() }
        #expect(waits == [0, 1, 2, 4, 8, 16, 30, 30])
        pace.succeeded()
        #expect(pace.failed() == 0)
    }

    @Test func newKeysOfAnotherProcessLockIt() async throws {
        let agent = try await AgentFixture.unlocked()
        let file = try VaultFile(agent.location)
        _ = try file.rekey(authorizedBy: AgentFixture.typed, slots: [:], dropping: [], now: .now)
        await agent.service.vault.checkKeys()
        #expect(try await agent.status().lockReason == "keys_replaced")
        #expect(await agent.answer("GET", "/v1/accounts").status == 423)
        #expect(await agent.unlock().status == 200)
        #expect(await agent.answer("GET", "/v1/accounts/work/token").status == 200)
        await agent.service.stop()
    }

    /// The slot of its key file is gone: it can neither read nor renew, and says so.
    @Test func keysThatItsKeyFileDoesNotOpenLockIt() async throws {
        let agent = try await AgentFixture.make()
        _ = await agent.answer("POST", "/v1/accounts", body: Addition().json)
        let file = try VaultFile(agent.location)
        _ = try file.addKeySlot(
            .passphrase(Secret("canary-passphrase"), AgentFixture.cheap),
            authorizedBy: .keyFile,
            now: .now
        )
        let keySlot = try file.unlock(with: .keyFile)
        _ = try file.rekey(
            authorizedBy: AgentFixture.typed,
            slots: [:],
            dropping: [keySlot],
            now: .now
        )
        #expect(await agent.answer("GET", "/v1/accounts/work/token").status == 423)
        #expect(try await agent.status().lockReason == "no_key_file_slot")
        #expect(await agent.unlock().status == 200)
        #expect(await agent.answer("GET", "/v1/accounts/work/token").status == 200)
        await agent.service.stop()
    }

    @Test func newKeysBehindTheKeyFileDoNot() async throws {
        let agent = try await AgentFixture.make()
        _ = await agent.answer("POST", "/v1/accounts", body: Addition().json)
        let file = try VaultFile(agent.location)
        _ = try file.rekey(authorizedBy: .keyFile, slots: [:], dropping: [], now: .now)
        await agent.service.vault.checkKeys()
        #expect(try await agent.status().locked == false)
        #expect(await agent.answer("GET", "/v1/accounts/work/token").status == 200)
        await agent.service.stop()
    }

    @Test func aSignInThatWaitsEndsWithTheLock() async throws {
        let agent = try await AgentFixture.unlocked()
        let attempt = try await SignInAttempt.begin(agent)
        #expect(await agent.answer("POST", "/v1/lock").status == 200)
        let outcome = try #require(attempt.signIn.outcome)
        guard case .failed(let error) = outcome else {
            Issue.record("it came to a grant")
            return
        }
        #expect(error.facts[.reason] == "cancelled")
        await agent.service.stop()
    }

    @Test func whatSomebodyTypedKeepsAnIdleAgent() async throws {
        let typed = try await AgentFixture.locked()
        _ = await typed.unlock()
        #expect(typed.service.vault.isNeeded)
        _ = await typed.answer("POST", "/v1/lock")
        #expect(!typed.service.vault.isNeeded)
        await typed.service.stop()
        let keyFile = try await AgentFixture.make()
        #expect(!keyFile.service.vault.isNeeded)
        await keyFile.service.stop()
    }
}

/// Base64 (RFC 4648 §4) for a test's bodies.
enum Base64Text {
    static func of(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
