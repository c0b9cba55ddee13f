import FoundationEssentials
import Platform
import Testing

@testable import VaultKit

/// What is made of two clocks.
@Suite struct ClockWatchTests {
    private let start = Moment(wall: Moment.fixed.wall, bootID: "boot", uptime: 1000)

    private func moment(uptime: Double, wall: Double, boot: String = "boot") -> Moment {
        Moment(
            wall: Moment.fixed.wall.addingTimeInterval(wall),
            bootID: boot,
            uptime: 1000 + uptime
        )
    }

    @Test(
        "a step is what one clock did and the other did not",
        arguments: [
            (30.0, 30.0, 0.0, false), (30, 30.9, 0, false), (30, 7230, -7200, false),
            (30, -7170, 7200, false), (600, 600, 0, true), (36_000, 36_000, 0, true),
            (85, 85, 0, false), (600, 4200, -3600, true),
        ]
    )
    func changes(uptime: Double, wall: Double, setBack: Double, isResumed: Bool) {
        var watch = ClockWatch(at: start)
        watch.rest(for: 30)
        let change = watch.look(at: moment(uptime: uptime, wall: wall))
        #expect(change == ClockWatch.Change(setBack: setBack, isResumed: isResumed))
        // Once.
        watch.rest(for: 30)
        let later = watch.look(at: moment(uptime: uptime + 30, wall: wall + 30))
        #expect(later == ClockWatch.Change())
    }

    @Test(
        "faults F-39: how far back the clock was set while nobody looked",
        arguments: [
            (500.0, 500.0, "boot", 0.0), (500, -3100, "boot", 3600), (500, 8000, "boot", 0),
            (50, 600, "other", 0), (50, -31_536_000, "other", 31_539_600),
        ]
    )
    func sinceNoted(uptime: Double, wall: Double, boot: String, setBack: Double) {
        let now = moment(uptime: uptime, wall: wall, boot: boot)
        #expect(ClockWatch.setBack(since: start, at: now) == setBack)
    }

    @Test func theClocksAreNotedOnceAnHourAndAfterAStep() {
        #expect(ClockWatch.isOutdated(nil, at: start))
        #expect(!ClockWatch.isOutdated(start, at: moment(uptime: 3599, wall: 3599)))
        #expect(ClockWatch.isOutdated(start, at: moment(uptime: 3600, wall: 3600)))
        #expect(ClockWatch.isOutdated(start, at: moment(uptime: 10, wall: 20)))
        #expect(ClockWatch.isOutdated(start, at: moment(uptime: 10, wall: 10, boot: "other")))
    }
}
