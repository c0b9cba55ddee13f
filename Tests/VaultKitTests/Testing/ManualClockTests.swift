import FoundationEssentials
import Platform
import Testing
import VaultTesting

@Suite(.timeLimit(.minutes(1))) struct ManualClockTests {
    @Test func advancingMovesBothClocks() {
        let clock = ManualClock()
        let start = clock.now()
        clock.advance(by: 90)
        #expect(clock.now() == start.advanced(by: 90))
    }

    @Test func theWallStepsAlone() {
        let clock = ManualClock()
        let start = clock.now()
        clock.stepWall(by: -7200)
        #expect(clock.now().seconds(since: start) == 0)
        #expect(clock.now().wall.timeIntervalSince(start.wall) == -7200)
    }

    @Test func aRebootStartsAnotherUptime() {
        let clock = ManualClock()
        let start = clock.now()
        clock.reboot(off: 60)
        #expect(clock.now().bootID != start.bootID)
        #expect(clock.now().uptime == 0)
        #expect(clock.now().seconds(since: start) == 60)
    }

    @Test func sleepersWakeWhenTheirTimeHasCome() async throws {
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(seconds: 10) }
        try await clock.waitForSleepers(1)
        clock.advance(by: 9.5)
        #expect(clock.sleeperCount == 1)
        #expect(clock.secondsUntilNextWake == 0.5)
        clock.reboot()
        clock.advance(by: 0.5)
        try await sleeper.value
        #expect(clock.sleeperCount == 0)
    }

    @Test func theEarliestIsWokenFirst() async throws {
        let clock = ManualClock()
        let sleepers = [30.0, 10, 20].map { seconds in
            Task {
                try await clock.sleep(seconds: seconds)
                return clock.now().uptime
            }
        }
        try await clock.waitForSleepers(3)
        for expected in [10.0, 20, 30] {
            #expect(clock.advanceToNextWake(within: 10))
            #expect(clock.now().uptime == 1000 + expected)
        }
        for (sleeper, seconds) in zip(sleepers, [30.0, 10, 20]) {
            #expect(try await sleeper.value >= 1000 + seconds)
        }
        #expect(!clock.advanceToNextWake(within: 1e9))
    }

    @Test func aCancelledSleeperIsGone() async throws {
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(seconds: 10) }
        try await clock.waitForSleepers(1)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func shortSleepsPassAndLongOnesDoNot() async throws {
        let clock = ManualClock()
        let long = Task { try await clock.sleep(seconds: 5) }
        try await clock.waitForSleepers(1)
        let passed = try await clock.passingSleeps(within: 0.1) {
            for _ in 1...10 { try await clock.sleep(seconds: 0.05) }
            return clock.now().uptime - 1000
        }
        #expect(abs(passed - 0.5) < 1e-6)
        #expect(clock.sleeperCount == 1)
        long.cancel()
    }

    @Test func waitingForASleeperCanBeCancelled() async {
        let clock = ManualClock()
        let waiter = Task { try await clock.waitForSleepers(1) }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
    }
}
