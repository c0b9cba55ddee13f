internal import FoundationEssentials
internal import Platform

/// Notices what happened to the clocks between two looks: pure.
struct ClockWatch: Sendable {
    /// What happened.
    struct Change: Sendable, Equatable {
        /// Seconds by which the wall clock was set back; negative when it was set forward.
        var setBack = 0.0
        /// Whether the machine, or this process, stood still for a while.
        var isResumed = false
    }

    /// Less than this, in seconds, is a clock being slewed.
    private static let smallestStep = 1.0
    /// Seconds longer than it was asked to last after which a sleep was the machine's: a shorter one
    /// loses no network.
    private static let longestDelay = 60.0
    /// Seconds from one note of the clocks in the vault to the next.
    static let noteInterval = 3600.0

    private var last: Moment
    /// Seconds that nothing was expected to happen after the last look.
    private var pause = 0.0

    init(at now: Moment) {
        last = now
    }

    /// What happened since the last look, or the end of the pause that was announced.
    mutating func look(at now: Moment) -> Change {
        let passed = now.seconds(since: last)
        let step = passed - now.wall.timeIntervalSince(last.wall)
        defer { last = now }
        return Change(
            setBack: abs(step) > Self.smallestStep ? step : 0,
            isResumed: passed > pause + Self.longestDelay
        )
    }

    /// Announces a pause of so many seconds.
    mutating func rest(for pause: Double) {
        self.pause = pause
    }

    /// Seconds by which the wall clock was set back since the clocks were noted, as far as that can be
    /// told: across boots at least by as much as it stands before that time.
    static func setBack(since noted: Moment, at now: Moment) -> Double {
        if !now.bootID.isEmpty, now.bootID == noted.bootID {
            let step = now.seconds(since: noted) - now.wall.timeIntervalSince(noted.wall)
            return step > smallestStep ? step : 0
        }
        let behind = noted.wall.timeIntervalSince(now.wall)
        return behind > 0 ? behind + noteInterval : 0
    }

    /// Whether the clocks have to be noted anew.
    static func isOutdated(_ noted: Moment?, at now: Moment) -> Bool {
        guard let noted, noted.bootID == now.bootID else { return true }
        let passed = now.seconds(since: noted)
        return passed >= noteInterval
            || abs(passed - now.wall.timeIntervalSince(noted.wall)) > smallestStep
    }
}
