import FoundationEssentials
import OAuth
import Platform
import Testing

@testable import VaultAccess

/// When rejected tokens are replaced, on a clock that the test moves.
@Suite struct RejectionLimitTests {
    /// A clock that nobody sleeps on.
    private final class StandingClock: VaultClock {
        private let time = Locked((wall: 0.0, uptime: 0.0))

        func now() -> Moment {
            let (wall, uptime) = time.withLock { $0 }
            return Moment(
                wall: Date(timeIntervalSince1970: wall),
                bootID: "boot",
                uptime: uptime
            )
        }

        func sleep(seconds: TimeInterval) async throws {
            throw CancellationError()
        }

        func advance(by seconds: Double) {
            time.withLock { $0 = ($0.wall + seconds, $0.uptime + seconds) }
        }

        func stepWall(by seconds: Double) {
            time.withLock { $0.wall += seconds }
        }
    }

    private let clock = StandingClock()
    private let limit: RejectionLimit
    private let place = TokenPlace(account: "work", origin: "https://api.example")

    init() {
        limit = RejectionLimit(clock: clock)
    }

    /// Whether a rejected token is replaced.
    private func replaces(_ generation: UInt64, at other: TokenPlace? = nil) -> Bool {
        limit.rejected(generation, at: other ?? place)
        return limit.admits(generation, at: other ?? place)
    }

    @Test("however many are rejected together, their token is replaced, and counts once")
    func oneTokenCountsOnce() {
        for _ in 1...100 { #expect(replaces(7)) }
        limit.accepted(8, at: place)
        for generation in UInt64(8)...11 {
            #expect(replaces(generation))
            limit.accepted(generation + 1, at: place)
        }
        #expect(!replaces(12))
        #expect(replaces(7))
        clock.advance(by: 600)
        #expect(replaces(12))
    }

    @Test("a replacement that is rejected too stops replacing for a minute, then for longer")
    func pausesGrow() {
        for (number, pause) in [60.0, 120, 240, 480, 960, 1920, 3600, 3600].enumerated() {
            let generation = UInt64(number + 1)
            #expect(replaces(generation), "\(number)")
            // The whole crowd is rejected again.
            for _ in 1...100 { #expect(!replaces(generation + 1)) }
            clock.advance(by: pause - 1)
            #expect(!replaces(generation + 1))
            clock.advance(by: 1)
        }
    }

    @Test("it makes no difference which request met the rejection of a replacement")
    func whoeverMeetsIt() {
        #expect(replaces(1))
        // Noted by a request that does not want a replacement.
        limit.rejected(2, at: place)
        #expect(!limit.admits(2, at: place))
        clock.advance(by: 60)
        #expect(limit.admits(2, at: place))
    }

    @Test("another token that is taken ends the pause, the same one does not")
    func acceptanceEndsThePause() {
        #expect(replaces(1))
        #expect(!replaces(2))
        limit.accepted(2, at: place)
        #expect(!replaces(2))
        limit.accepted(3, at: place)
        #expect(replaces(3))
    }

    @Test("a replacement that was taken once is replaced when it is rejected later")
    func laterRevocation() {
        #expect(replaces(1))
        limit.accepted(2, at: place)
        clock.advance(by: 30)
        #expect(replaces(2))
    }

    @Test("a server that rejects everything takes nothing from the others but their share")
    func placesAreApart() {
        var other = place
        other.origin = "https://other.example"
        var scoped = place
        scoped.scope = Scope(["read"])
        #expect(replaces(1))
        #expect(!replaces(2))
        #expect(replaces(2, at: other))
        #expect(replaces(2, at: scoped))
        // Nor does one that takes tokens have those asked again that do not.
        limit.accepted(3, at: other)
        #expect(!replaces(3))
        // Five tokens of the account in ten minutes, wherever they were rejected.
        #expect(replaces(9, at: TokenPlace(account: "work", resource: "urn:a")))
        #expect(replaces(9, at: TokenPlace(account: "work", resource: "urn:b")))
        #expect(!replaces(9, at: TokenPlace(account: "work", resource: "urn:c")))
        #expect(replaces(9, at: TokenPlace(account: "home")))
    }

    @Test("a new grant that counts from 1 is not held up by the pause of the old one")
    func countsAnew() {
        #expect(replaces(56))
        #expect(!replaces(57))
        limit.accepted(1, at: place)
        #expect(replaces(2))
    }

    @Test("a wall clock that is set back holds nobody up for longer")
    func clockSteps() {
        #expect(replaces(1))
        #expect(!replaces(2))
        clock.stepWall(by: -7200)
        clock.advance(by: 60)
        #expect(replaces(2))
    }
}
