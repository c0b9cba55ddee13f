import Platform
import Testing
import VaultTesting

@testable import VaultKit

/// Whoever has the account's lock takes longer than anybody has patience for.
@Suite(.timeLimit(.minutes(1))) struct StalledHolderTests {
    @Test("server A4: an answer after 25 seconds is stored, and who polls meanwhile sends nothing")
    func slowAnswer() async throws {
        let hold = Hold()
        let server = RotatingServer()
        try await withScene(server.transport(hold: hold)) { scene in
            try await scene.addExpired()
            let other = try await scene.openAgain()
            let first = Task { try await scene.vault.accessToken(for: "work") }
            try await hold.waitForArrivals()
            let sent = scene.clock.now()
            while scene.clock.now().seconds(since: sent) < 25 {
                let error = await scene.clock.passingSleeps(within: 0.1) {
                    await vaultError { try await other.accessToken(for: "work", deadline: 0.1) }
                }
                #expect(error?.code == .busy)
                scene.clock.advance(by: 0.5)
            }
            #expect(server.requestCount == 1)
            hold.release()
            #expect(try await first.value.text == "work-access-2")
            let adopted = try await scene.clock.passingSleeps(within: 0.1) {
                try await other.accessToken(for: "work")
            }
            #expect(adopted.text == "work-access-2" && server.requestCount == 1)
            #expect(server.reuseCount == 0)
        }
    }

    @Test(
        "a holder stopped across its deadline: nobody else sends, and its pair is stored once it goes on",
        arguments: [FaultPoints.Place.claimed, .answered, .installing]
    )
    func stopped(place: FaultPoints.Place) async throws {
        let clock = ManualClock()
        let stop = Hold()
        let server = RotatingServer()
        let faults = FaultPoints { reached in
            if reached == place { try? await stop.pass() }
        }
        try await withScene(server.transport(), clock: clock, faults: faults) { scene in
            try await scene.addExpired()
            try await scene.add("living")
            let other = try await scene.openAgain()
            let holder = Task { try await scene.vault.accessToken(for: "work", deadline: 600) }
            try await stop.waitForArrivals()
            let before = server.requestCount
            // Twice as long as a request may take.
            for _ in 1...3 {
                let error = await clock.passingSleeps(within: 0.1) {
                    await vaultError { try await other.accessToken(for: "work", deadline: 2) }
                }
                #expect(error?.code == .busy)
                clock.advance(by: 20)
            }
            #expect(server.requestCount == before)
            #expect(try await other.accessToken(for: "living").warning == nil)
            stop.release()
            #expect(try await holder.value.text == "work-access-2")
            #expect(try scene.stored().refreshText == "work-refresh-2")
            #expect(try scene.stored().intent == nil)
            #expect(server.requestCount == 1 && server.reuseCount == 0)
        }
    }

    @Test("stopped until its request had timed out, the outcome is known for unknown")
    func stoppedWhileWaiting() async throws {
        let stop = Hold()
        let transport = ScriptedTransport(.failure(.ambiguous(.timedOut)).held(by: stop))
        try await withScene(transport) { scene in
            try await scene.addExpired()
            let holder = Task {
                await vaultError { try await scene.vault.refresh("work", deadline: 600) }
            }
            try await stop.waitForArrivals()
            scene.clock.advance(by: 120)
            // It lives, so nothing is lost yet.
            let other = try await scene.openAgain()
            #expect(try await other.account("work").state == .active)
            stop.release()
            #expect(await holder.value?.code == .outcomeUnknown)
            let stored = try scene.stored()
            #expect(stored.health.state == .outcomeUnknown && stored.intent != nil)
            #expect(stored.refreshText == "work-refresh-1")
        }
    }
}
