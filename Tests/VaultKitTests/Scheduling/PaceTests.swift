import Platform
import Testing

@testable import VaultKit

/// How many refreshes one host gets at a time.
@Suite struct PaceTests {
    private let start = Moment(wall: Moment.fixed.wall, bootID: "boot", uptime: 1000)

    private func after(_ seconds: Double) -> Moment { start.advanced(by: seconds) }

    /// Starts as many as there is room for.
    private func fill(_ pace: inout Pace) -> Int {
        var count = 0
        while pace.hasRoom {
            pace.start()
            count += 1
        }
        return count
    }

    @Test("one canary first, then twice as many with each round of answers, up to a bound")
    func doubles() {
        var pace = Pace()
        var rounds: [Int] = []
        for _ in 1...10 {
            let count = fill(&pace)
            rounds.append(count)
            for _ in 1...count { pace.end(.answered, at: start) }
        }
        #expect(rounds == [1, 2, 4, 8, 16, 32, 64, 128, 192, 192])
    }

    @Test("a host that does not answer gets ever fewer, and never none")
    func shrinks() {
        var pace = Pace()
        for _ in 1...40 {
            pace.start()
            pace.end(.answered, at: start)
        }
        #expect(pace.width == 41)
        var widths: [Int] = []
        for _ in 1...7 {
            pace.start()
            pace.end(.lost, at: start)
            widths.append(pace.width)
        }
        #expect(widths == [20, 10, 5, 2, 1, 1, 1])
        #expect(pace.hasRoom)
    }

    @Test("what was not sent says nothing of the host")
    func unasked() {
        var pace = Pace()
        pace.start()
        pace.end(.unasked, at: start)
        #expect(pace.width == 1 && pace.hasRoom && pace.atWork == 0)
    }

    @Test("an unreachable host is asked for a connection alone, and then begins with a canary")
    func outage() {
        var pace = Pace()
        for _ in 1...3 {
            pace.start()
            pace.end(.answered, at: start)
        }
        let atWork = fill(&pace)
        // All of them fail together: that is one outage.
        for _ in 1...atWork { pace.end(.unreachable, at: start) }
        #expect(!pace.hasRoom && !pace.wantsProbe(at: after(1.4)))
        #expect(pace.probeDelay(at: start) == 1.5)
        #expect(pace.wantsProbe(at: after(1.5)))
        pace.beginProbe()
        #expect(!pace.wantsProbe(at: after(100)) && pace.probeDelay(at: after(100)) == nil)
        pace.endProbe(isReachable: true, at: after(1.6))
        #expect(fill(&pace) == 1)
    }

    @Test(
        "an outage is looked at every 1.5 s at first, and every half minute in the end",
        arguments: [(0.0, 1.5), (20, 1.5), (60, 3), (300, 15), (600, 30), (36_000, 30)]
    )
    func probes(age: Double, expected: Double) {
        var pace = Pace()
        pace.doubt(at: start)
        #expect(pace.wantsProbe(at: start))
        pace.beginProbe()
        pace.endProbe(isReachable: false, at: after(age))
        #expect(pace.probeDelay(at: after(age)) == expected)
        #expect(!pace.hasRoom)
    }

    @Test("a change of the network has an outage looked at again at once, and disturbs nobody else")
    func hurry() {
        var pace = Pace()
        pace.doubt(at: start)
        pace.beginProbe()
        pace.endProbe(isReachable: false, at: after(600))
        pace.hurry(at: after(601))
        #expect(pace.wantsProbe(at: after(601)))
        pace.beginProbe()
        pace.endProbe(isReachable: false, at: after(602))
        #expect(pace.probeDelay(at: after(602)) == 1.5)
        var well = Pace()
        well.hurry(at: start)
        #expect(well.hasRoom)
    }

    @Test("a host that gives connections and nothing else is tried ever more seldom")
    func relapses() {
        var pace = Pace()
        var waits: [Double] = []
        for _ in 1...10 {
            pace.start()
            pace.end(.unreachable, at: start)
            waits.append(pace.probeDelay(at: start) ?? 0)
            pace.beginProbe()
            pace.endProbe(isReachable: true, at: start)
        }
        #expect(waits == [1.5, 3, 6, 12, 24, 48, 96, 192, 300, 300])
        pace.start()
        pace.end(.answered, at: start)
        pace.start()
        pace.end(.unreachable, at: start)
        #expect(pace.probeDelay(at: start) == 1.5)
    }

    @Test("a doubt during a probe wants a probe of its own")
    func doubtDuringProbe() {
        var pace = Pace()
        pace.doubt(at: start)
        pace.beginProbe()
        pace.doubt(at: after(1))
        pace.endProbe(isReachable: true, at: after(2))
        #expect(!pace.hasRoom && pace.wantsProbe(at: after(2)))
    }

    @Test("a client that must wait sends nothing, then one alone until it is granted")
    func client() {
        var pace = ClientPace()
        #expect(pace.hasRoom(at: start))
        pace.start()
        pace.end(isGranted: false, at: start)
        pace.close(for: 300, at: start)
        #expect(!pace.hasRoom(at: after(299)) && pace.openingDelay(at: after(100)) == 200)
        #expect(pace.hasRoom(at: after(300)))
        pace.start()
        #expect(!pace.hasRoom(at: after(300)))
        pace.end(isGranted: true, at: after(301))
        pace.start()
        #expect(pace.hasRoom(at: after(301)))
        // Somebody mended it.
        pace.close(for: 300, at: after(301))
        pace.close(for: 0, at: after(302))
        #expect(pace.openingDelay(at: after(302)) == nil)
    }
}
