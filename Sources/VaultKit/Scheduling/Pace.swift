internal import Platform
internal import VaultStore

/// How many refreshes may be at work at one host at a time: pure.
///
/// It begins with one, the canary, and each answer makes room for one more: the rate doubles with
/// every round of answers. A host that cannot be reached is asked for a connection only, until it
/// gives one, and then begins anew: who is offline spends neither tries nor tokens.
struct Pace: Sendable {
    /// How a refresh ended, as far as the host is concerned.
    enum Ending: Sendable, Equatable {
        /// The host answered, whatever it said.
        case answered
        /// It was asked, and did not answer.
        case lost
        /// It was not reached.
        case unreachable
        /// It was not asked.
        case unasked
    }

    /// The most that are at work at one host.
    static let widest = 192
    /// Seconds between two looks for a host that has not been reachable for a short while; for a long
    /// one they become a twentieth of it.
    private static let probeIntervals = 1.5...30.0
    /// The most seconds without a try for a host that gives a connection and nothing else.
    private static let longestRelapse = 300.0

    /// Refreshes at work now.
    private(set) var atWork = 0
    /// The number of them that is allowed.
    private(set) var width = 1
    private var outage: Outage?
    /// Outages in a row that began although a connection had been had.
    private var relapses = 0

    private struct Outage {
        var since: Moment
        var nextProbe: Moment
        var isProbed = false
    }

    /// Whether one more may be started.
    var hasRoom: Bool { outage == nil && atWork < width }

    /// Whether it is to be asked for a connection now.
    func wantsProbe(at now: Moment) -> Bool {
        outage.map { !$0.isProbed && $0.nextProbe.seconds(since: now) <= 0 } ?? false
    }

    /// Seconds until it wants to be asked for a connection; nil while it does not.
    func probeDelay(at now: Moment) -> Double? {
        outage.flatMap { $0.isProbed ? nil : $0.nextProbe.seconds(since: now) }
    }

    /// Whether nothing is known of it that a new one does not have.
    var isIdle: Bool { atWork == 0 && outage == nil }

    mutating func start() {
        atWork += 1
    }

    mutating func end(_ ending: Ending, at now: Moment) {
        atWork -= 1
        switch ending {
        case .answered:
            relapses = 0
            if outage == nil { width = min(width + 1, Self.widest) }
        case .lost: width = max(1, width / 2)
        case .unreachable where outage == nil:
            relapses += 1
            let wait = Self.probeIntervals.lowerBound * Double(1 << min(relapses - 1, 10))
            close(for: min(wait, Self.longestRelapse), at: now)
        case .unreachable, .unasked: break
        }
    }

    /// Begins anew: the machine slept, or its network changed, and nothing that was known holds.
    mutating func doubt(at now: Moment) {
        relapses = 0
        close(for: 0, at: now)
    }

    /// The network is another: an outage may be over, and is looked at often again.
    mutating func hurry(at now: Moment) {
        guard outage != nil else { return }
        doubt(at: now)
    }

    private mutating func close(for seconds: Double, at now: Moment) {
        width = 1
        outage = Outage(since: now, nextProbe: now.advanced(by: seconds))
    }

    mutating func beginProbe() {
        outage?.isProbed = true
    }

    mutating func endProbe(isReachable: Bool, at now: Moment) {
        // It may have been doubted anew meanwhile: that wants a probe of its own.
        guard var outage, outage.isProbed else { return }
        outage.isProbed = false
        let (shortest, longest) = (Self.probeIntervals.lowerBound, Self.probeIntervals.upperBound)
        let wait = min(max(now.seconds(since: outage.since) / 20, shortest), longest)
        outage.nextProbe = now.advanced(by: wait)
        self.outage = isReachable ? nil : outage
    }
}

/// Whether refreshes of one client go out: its server may want peace, or refuse it.
struct ClientPace: Sendable {
    /// Where its refreshes go to; nil while none of its accounts was looked at.
    var host: String?
    /// One of its accounts, by which to ask how it fares.
    var example: AccountName?
    /// Refreshes at work now.
    private(set) var atWork = 0
    private var closedUntil: Moment?
    /// When the next may be started, where the number of requests is limited.
    private var spacedUntil: Moment?
    /// Whether it was closed, and the next one is a trial that the others wait for.
    private var isOnTrial = false

    /// Whether one more may be started.
    func hasRoom(at now: Moment) -> Bool {
        openingDelay(at: now) == nil && !(isOnTrial && atWork > 0)
    }

    /// Seconds until it is tried again; nil when it may be.
    func openingDelay(at now: Moment) -> Double? {
        let waits = [closedUntil, spacedUntil].compactMap { $0?.seconds(since: now) }
        guard let wait = waits.max(), wait > 0 else { return nil }
        return wait
    }

    /// Whether it was closed, and is not to be tried yet.
    func isClosed(at now: Moment) -> Bool {
        closedUntil.map { $0.seconds(since: now) > 0 } ?? false
    }

    /// Starts the next after so many seconds; rounds come a little late, and that is made up for.
    mutating func space(_ seconds: Double, at now: Moment) {
        let start = spacedUntil.map { $0.seconds(since: now) } ?? 0
        let from = (-Scheduler.shortestPause...0).contains(start) ? start : 0
        spacedUntil = now.advanced(by: from + seconds)
    }

    /// Starts none for so many seconds, and a round at least.
    mutating func hold(_ seconds: Double, at now: Moment) {
        spacedUntil = now.advanced(by: max(seconds, Scheduler.shortestPause))
    }

    mutating func start() {
        atWork += 1
    }

    mutating func end(isGranted: Bool, at now: Moment) {
        atWork -= 1
        if isGranted { isOnTrial = false }
    }

    /// Sends nothing for so many seconds, and then one alone.
    mutating func close(for pause: Double, at now: Moment) {
        closedUntil = pause > 0 ? now.advanced(by: pause) : nil
        isOnTrial = true
    }

    /// Whether nothing is known of it that a new one does not have, but its host.
    var isIdle: Bool { atWork == 0 && !isOnTrial && closedUntil == nil }
}
