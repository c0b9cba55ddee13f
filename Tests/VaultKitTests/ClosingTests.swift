import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultTesting

@testable import VaultKit

@Suite(.timeLimit(.minutes(1))) struct ClosingTests {
    @Test("I06: closing waits for the flight, stores its pair and ends the event streams")
    func drains() async throws {
        let hold = Hold()
        let server = RotatingServer()
        try await withScene(server.transport(hold: hold)) { scene in
            try await scene.addExpired()
            let events = scene.vault.events
            let caller = Task { try await scene.vault.accessToken(for: "work") }
            try await hold.waitForArrivals()
            let closing = Task { await scene.vault.close() }
            // The caller's deadline and the closer's.
            try await scene.clock.waitForSleepers(2)
            hold.release()
            await closing.value
            #expect(try scene.stored().generation == 2)
            #expect(try await caller.value.generation == 2)
            let expiry = scene.clock.now().wall.addingTimeInterval(3600)
            var kinds: [VaultEvent.Kind] = []
            for await event in events { kinds.append(event.kind) }
            #expect(kinds == [.refreshed(generation: 2, expiry: expiry)])
        }
    }

    @Test("closing waits a minute for a server that does not answer, and no longer")
    func closingIsBounded() async throws {
        let hold = Hold()
        try await withScene(RotatingServer().transport(hold: hold)) { scene in
            try await scene.addExpired()
            let caller = Task { try? await scene.vault.accessToken(for: "work", deadline: 600) }
            try await hold.waitForArrivals()
            let closing = Task { await scene.vault.close() }
            try await scene.clock.waitForSleeper(within: 60)
            scene.clock.advance(by: 60)
            await closing.value
            #expect(try scene.stored().generation == 1)
            hold.release()
            _ = await caller.value
        }
    }

    @Test("closing in a task that was cancelled waits all the same, and does not spin")
    func closingInACancelledTask() async throws {
        let hold = Hold()
        let clock = CountingClock()
        let transport = RotatingServer().transport(hold: hold)
        try await TemporaryVault.use { home in
            let vault = try await home.open(transport: transport, clock: clock)
            let tokens = TokenResponse.testing(accessToken: "a", refreshToken: "work-refresh-1")
            _ = try await vault.add(.testing("work"), tokens)
            let refresh = Task { try await vault.refresh("work") }
            try await hold.waitForArrivals()
            let asked = clock.asked
            let closing = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                await vault.close()
            }
            try await clock.manual.waitForSleepers(2)
            for _ in 1...1000 { await Task.yield() }
            hold.release()
            await closing.value
            #expect(clock.asked - asked < 50)
            #expect(try await refresh.value.generation == 2)
        }
    }

    @Test("closing ends the scheduler")
    func schedulerEnds() async throws {
        try await withScene { scene in
            try await scene.add()
            let scheduler = Task { try await scene.vault.runScheduler() }
            try await scene.clock.waitForSleepers(1)
            await scene.vault.close()
            await #expect(throws: CancellationError.self) { try await scheduler.value }
        }
    }

    @Test("what is no number is refused before anything is sent")
    func notANumber() async throws {
        try await withScene { scene in
            try await scene.addExpired()
            let error = await vaultError {
                try await scene.vault.accessToken(for: "work", minimumLifetime: .nan)
            }
            #expect(error?.code == .invalidInput)
        }
    }

    @Test("after closing every call says so, and a new stream of events ends at once")
    func closed() async throws {
        try await withScene { scene in
            try await scene.add()
            _ = try await scene.vault.accessToken(for: "work")
            await scene.vault.close()
            await scene.vault.close()
            let calls: [VaultError?] = [
                await vaultError { try await scene.vault.accessToken(for: "work") },
                await vaultError { try await scene.vault.refresh("work") },
                await vaultError { try await scene.vault.accounts() },
                await vaultError { try await scene.add("other") },
                await vaultError { try await scene.vault.remove("work") },
            ]
            #expect(calls.map { $0?.code } == Array(repeating: .closed, count: 5))
            for await event in scene.vault.events { Issue.record("an event: \(event)") }
        }
    }
}

/// A manual clock that counts how often it is asked for the time.
private final class CountingClock: VaultClock {
    let manual = ManualClock()
    private let count = Locked(0)

    var asked: Int { count.withLock { $0 } }

    func now() -> Moment {
        count.withLock { $0 += 1 }
        return manual.now()
    }

    func sleep(seconds: Double) async throws {
        try await manual.sleep(seconds: seconds)
    }
}
