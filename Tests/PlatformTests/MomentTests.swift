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

    @Test func theSystemClockKnowsItsBoot() {
        let now = SystemClock().now()
        #expect(now.bootID.count == 36)
        #expect(now.uptime > 0)
    }
}
