import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultStore
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
            // The caller and the closer.
            try await scene.vault.waitForWaiters(2)
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
            try await vault.waitForWaiters(2)
            for _ in 1...1000 { await Task.yield() }
            hold.release()
            await closing.value
            #expect(clock.asked - asked < 50)
            #expect(try await refresh.value.generation == 2)
        }
    }

    @Test("a refresh that waits for its account when the vault is closed sends nothing")
    func waitingForTheLock() async throws {
        try await withScene { scene in
            try await scene.addExpired()
            let holder = try FileLock(path: scene.home.location.lock)
            let range = FileLock.Range.account(try scene.stored().number)
            #expect(try holder.tryLock(range))
            let caller = Task { await vaultError { try await scene.vault.refresh("work") } }
            try await scene.clock.waitForSleeper(within: 0.05)
            let closing = Task { await scene.vault.close() }
            while !scene.vault.refresher.isClosed { await Task.yield() }
            holder.unlock(range)
            await scene.clock.passingSleeps(within: 0.1) { await closing.value }
            #expect(await caller.value?.code == .closed)
            #expect(scene.transport.requestCount == 0)
            #expect(try scene.stored().intent == nil)
        }
    }

    @Test("a refresh that has its account and no claim yet when the vault is closed sends nothing")
    func beforeTheClaim() async throws {
        try await TemporaryVault.use { home in
            let transport = ScriptedTransport()
            let opened = try await home.open(transport: transport, clock: ManualClock())
            let tokens = TokenResponse.testing(accessToken: "a", refreshToken: "work-refresh-1")
            _ = try await opened.add(.testing("work"), tokens)
            let stale = try opened.store.account(named: "work")
            let asked = Shared(0)
            let operation = RefreshOperation(
                environment: RefreshEnvironment(
                    store: opened.store,
                    lockFile: try FileLock(path: home.location.lock),
                    transport: transport,
                    clock: ManualClock(),
                    random: { 0 },
                    faults: .none
                ),
                stale: stale,
                unwritten: UnwrittenEnds(),
                urgency: .asked,
                // Closed once the lock is there.
                isClosed: {
                    asked.update { asked in
                        asked += 1
                        return asked > 1
                    }
                }
            )
            guard case .ended(.failed(let error, _)) = await operation.run() else {
                Issue.record("it was refreshed")
                return
            }
            #expect(error.code == .closed)
            #expect(transport.requestCount == 0)
            #expect(try opened.store.account(named: "work").intent == nil)
            await opened.close()
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

    @Test("a negative minimum is none: a token that has expired is not handed out")
    func negativeMinimum() async throws {
        let transport = ScriptedTransport { _ in .failure(.notSent(.connectionFailed)) }
        try await withScene(transport) { scene in
            try await scene.addExpired()
            for minimum in [-100_000, -Double.infinity] {
                let error = await vaultError {
                    try await scene.vault.accessToken(for: "work", minimumLifetime: minimum)
                }
                #expect(error?.code == .unreachable)
            }
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
            #expect(error?.facts == [.field: "minimum_lifetime"])
            let calls: [@Sendable (Vault) async throws -> AccessToken] = [
                { try await $0.accessToken(for: "work", deadline: .nan) },
                { try await $0.refresh("work", deadline: .nan) },
            ]
            for call in calls {
                let error = await vaultError { try await call(scene.vault) }
                #expect(error?.code == .invalidInput && error?.account == "work")
                #expect(error?.facts == [.field: "deadline"])
            }
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
