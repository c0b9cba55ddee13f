import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultTesting

@testable import VaultKit

/// A flight goes on, whatever becomes of those who wait for it.
@Suite(.timeLimit(.minutes(1))) struct WaiterTests {
    @Test("CA-01: when its only waiter is cancelled, the pair is stored all the same")
    func cancelledWaiter() async throws {
        let hold = Hold()
        let server = RotatingServer()
        try await withScene(server.transport(hold: hold)) { scene in
            try await scene.addExpired()
            let caller = Task { try await scene.vault.accessToken(for: "work") }
            try await hold.waitForArrivals()
            caller.cancel()
            await #expect(throws: CancellationError.self) { try await caller.value }
            hold.release()
            await scene.vault.close()
            #expect(try scene.stored().generation == 2)
            let again = try await scene.openAgain(transport: UnreachableTransport())
            #expect(try await again.accessToken(for: "work").text == "work-access-2")
            #expect(server.requestCount == 1)
        }
    }

    @Test("a cancelled waiter takes nobody with it")
    func othersWaitOn() async throws {
        let hold = Hold()
        try await withScene(RotatingServer().transport(hold: hold)) { scene in
            try await scene.addExpired()
            let callers = (0..<5).map { _ in
                Task { try await scene.vault.accessToken(for: "work") }
            }
            try await scene.vault.waitForWaiters(5)
            callers[0].cancel()
            await #expect(throws: CancellationError.self) { try await callers[0].value }
            hold.release()
            for caller in callers[1...] { #expect(try await caller.value.generation == 2) }
        }
    }

    @Test("a task that is cancelled before it asks gets a CancellationError")
    func cancelledBeforehand() async throws {
        let hold = Hold()
        try await withScene(RotatingServer().transport(hold: hold)) { scene in
            try await scene.addExpired()
            let gate = Hold()
            let caller = Task {
                try? await gate.pass()
                return try await scene.vault.accessToken(for: "work")
            }
            try await gate.waitForArrivals()
            caller.cancel()
            await #expect(throws: CancellationError.self) { try await caller.value }
            hold.release()
            await scene.vault.close()
        }
    }

    @Test("A06: past its deadline a caller is told busy, and the pair is stored all the same")
    func deadline() async throws {
        let hold = Hold()
        let server = RotatingServer()
        try await withScene(server.transport(hold: hold)) { scene in
            try await scene.addExpired()
            let caller = Task {
                await vaultError { try await scene.vault.accessToken(for: "work", deadline: 2) }
            }
            try await hold.waitForArrivals()
            try await scene.clock.waitForSleeper(within: 2)
            scene.clock.advance(by: 2)
            let error = await caller.value
            #expect(error?.code == .busy)
            #expect(error?.isTransient == true)
            hold.release()
            await scene.vault.close()
            #expect(try scene.stored().accessText == "work-access-2")
            #expect(server.requestCount == 1)
        }
    }

    @Test("A07: past its deadline a caller still gets a token with seconds left")
    func deadlineWithSecondsLeft() async throws {
        let hold = Hold()
        try await withScene(RotatingServer().transport(hold: hold)) { scene in
            try await scene.add()
            scene.clock.advance(by: 3570)
            let caller = Task { try await scene.vault.accessToken(for: "work", deadline: 2) }
            let strict = Task {
                await vaultError {
                    try await scene.vault.accessToken(
                        for: "work",
                        minimumLifetime: 60,
                        deadline: 2
                    )
                }
            }
            try await hold.waitForArrivals()
            try await scene.vault.waitForWaiters(2)
            scene.clock.advance(by: 2)
            let token = try await caller.value
            #expect(token.text == "work-access-1")
            #expect(token.warning == .refreshFailing)
            #expect(await strict.value?.code == .busy)
            hold.release()
            await scene.vault.close()
        }
    }

    @Test("however many wait, one timer keeps their deadlines, the earliest first")
    func oneTimer() async throws {
        let clock = ManualClock()
        let flight = Flight(clock: clock)
        let gone = Shared<[Double]>([])
        // The second has to wake earlier than the timer of the first, the others later.
        var waiters: [Task<RefreshOutcome?, any Error>] = []
        for deadline in [20.0, 10, 30, 20, 40] {
            let waiter = Task {
                let outcome = try await flight.outcome(deadline: deadline)
                gone.update { $0.append(deadline) }
                return outcome
            }
            waiters.append(waiter)
            while flight.waiterCount < waiters.count { await Task.yield() }
            try await clock.waitForSleepers(1)
        }
        for (time, left) in [(10.0, 4), (20, 2), (30, 1)] {
            try await clock.waitForSleeper(within: 10)
            #expect(clock.sleeperCount == 1)
            clock.advance(by: 10)
            while flight.waiterCount > left || gone.value.count < 5 - left { await Task.yield() }
            #expect(gone.value.allSatisfy { $0 <= time })
        }
        flight.finish(.failed(VaultError(.busy), nil))
        for waiter in waiters.prefix(4) { #expect(try await waiter.value == nil) }
        #expect(try await waiters.last?.value != nil)
    }

    @Test("a deadline that has passed already leaves nobody hanging", arguments: [0, -1, .nan])
    func noDeadline(deadline: Double) async throws {
        let flight = Flight(clock: ManualClock())
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 1...2000 {
                group.addTask {
                    try await flight.outcome(deadline: deadline) == nil
                }
            }
            for try await isNil in group { #expect(isNil) }
        }
    }

    @Test("a deadline may be longer than any clock sleeps", arguments: [1e300, .infinity])
    func endlessDeadline(deadline: Double) async throws {
        let flight = Flight(clock: SystemClock())
        let waiter = Task { try await flight.outcome(deadline: deadline) }
        await Task.yield()
        flight.finish(.failed(VaultError(.busy), nil))
        guard case .failed = try await waiter.value else {
            Issue.record("another outcome")
            return
        }
    }

    @Test("whoever comes after the end gets the outcome at once")
    func lateWaiter() async throws {
        let flight = Flight(clock: ManualClock())
        flight.finish(.failed(VaultError(.busy), nil))
        let outcome = try await flight.outcome(deadline: nil)
        guard case .failed(let error, nil) = outcome else {
            Issue.record("another outcome")
            return
        }
        #expect(error.code == .busy)
    }
}
