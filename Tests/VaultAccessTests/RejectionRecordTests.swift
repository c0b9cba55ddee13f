import FoundationEssentials
import Platform
import Testing

@testable import VaultAccess

@Suite struct RejectionRecordTests {
    /// A record behind a reference, for `#expect` changes no value.
    private final class Recorded {
        private var record = RejectionRecord()

        func admits(_ generation: UInt64, _ now: Moment) -> Bool {
            record.admits(generation, now)
        }

        func note(_ generation: UInt64, wasRejected: Bool, _ now: Moment) {
            record.note(generation, wasRejected: wasRejected, now)
        }
    }

    private static func at(_ seconds: Double) -> Moment {
        Moment(wall: Date(timeIntervalSince1970: seconds), bootID: "boot", uptime: seconds)
    }

    @Test("however many are rejected together, their generation counts once")
    func oneGenerationCountsOnce() {
        let record = Recorded()
        for _ in 1...100 { #expect(record.admits(7, Self.at(0))) }
        for generation in UInt64(8)...11 { #expect(record.admits(generation, Self.at(1))) }
        #expect(!record.admits(12, Self.at(2)))
        #expect(record.admits(7, Self.at(3)))
        #expect(record.admits(12, Self.at(600)))
    }

    @Test("a replacement that is rejected too stops replacing for a minute, then for longer")
    func pausesGrow() {
        let record = Recorded()
        var now = 0.0
        for (number, pause) in [60.0, 120, 240, 480, 960, 1920, 3600, 3600].enumerated() {
            let generation = UInt64(2 * number + 1)
            #expect(record.admits(generation, Self.at(now)))
            // The whole crowd is rejected again.
            for _ in 1...100 { record.note(generation + 1, wasRejected: true, Self.at(now)) }
            #expect(!record.admits(generation + 1, Self.at(now)))
            #expect(!record.admits(generation + 1, Self.at(now + pause - 1)))
            now += pause
        }
        #expect(record.admits(99, Self.at(now)))
    }

    @Test("a newer token that is taken ends the pause, the same one does not")
    func successEndsThePause() {
        let record = Recorded()
        #expect(record.admits(1, Self.at(0)))
        record.note(2, wasRejected: true, Self.at(0))
        record.note(2, wasRejected: false, Self.at(1))
        #expect(!record.admits(2, Self.at(2)))
        record.note(3, wasRejected: false, Self.at(3))
        #expect(record.admits(3, Self.at(4)))
        record.note(4, wasRejected: true, Self.at(4))
        #expect(!record.admits(4, Self.at(63)))
        #expect(record.admits(4, Self.at(64)))
    }

    @Test("a wall clock that is set back holds nobody up for longer")
    func clockSteps() {
        let record = Recorded()
        #expect(record.admits(1, Self.at(1000)))
        record.note(2, wasRejected: true, Self.at(1000))
        let stepped = Moment(wall: Date(timeIntervalSince1970: 0), bootID: "boot", uptime: 1061)
        #expect(record.admits(2, stepped))
    }
}
