import FoundationEssentials
import Platform
import Testing

@Suite struct MomentTests {
    private let start = Moment(
        wall: Date(timeIntervalSince1970: 1_000_000),
        bootID: "a",
        uptime: 50
    )

    @Test func aStepOfTheWallClockChangesNothingWithinOneBoot() {
        let later = Moment(wall: start.wall.addingTimeInterval(-7200), bootID: "a", uptime: 60)
        #expect(later.seconds(since: start) == 10)
    }

    @Test func theWallClockDecidesAcrossBoots() {
        let later = Moment(wall: start.wall.addingTimeInterval(90), bootID: "b", uptime: 3)
        #expect(later.seconds(since: start) == 90)
    }

    @Test func theWallClockDecidesWhereTheBootIsUnknown() {
        let start = Moment(wall: start.wall, bootID: "", uptime: 50)
        let later = Moment(wall: start.wall.addingTimeInterval(90), bootID: "", uptime: 60)
        #expect(later.seconds(since: start) == 90)
    }

    @Test func theSystemClockKnowsItsBoot() {
        let now = SystemClock().now()
        #expect(now.bootID.count == 36)
        #expect(now.uptime > 0)
    }

    @Test func movingAMomentMovesBothClocks() {
        let later = start.advanced(by: 2.5)
        #expect(later.seconds(since: start) == 2.5)
        #expect(later.wall.timeIntervalSince(start.wall) == 2.5)
        #expect(later.bootID == start.bootID)
        #expect(start.seconds(since: later) == -2.5)
    }

    @Test func theSystemClockNeverStepsBack() {
        let clock = SystemClock()
        let moments = (0..<100).map { _ in clock.now() }
        for (earlier, later) in zip(moments, moments.dropFirst()) {
            #expect(later.seconds(since: earlier) >= 0)
        }
    }

    @Test func sleepingEndsWithTheTask() async {
        let sleeper = Task { try await SystemClock().sleep(seconds: 3600) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test func sleepingTakesAtLeastItsTime() async throws {
        let clock = SystemClock()
        let before = clock.now()
        try await clock.sleep(seconds: 0.01)
        #expect(clock.now().seconds(since: before) >= 0.01)
    }
}
