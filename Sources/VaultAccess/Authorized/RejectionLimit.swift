internal import OAuth
public import Platform

/// Keeps a resource server that rejects every token from having the vault refresh without end.
///
/// A rejected token is replaced by a refresh, which costs the authorization server a request and the
/// account a refresh token. Where the replacement is rejected too, no refresh helps: for a minute, and
/// longer each time up to an hour, rejections at that place are left as they are. A place is an
/// account's tokens of one scope and resource at one origin; ``AccessTokenSource/authorized(as:scope:resource:minimumLifetime:deadline:_:)``
/// knows no origins, and takes all for one. Whatever happens, no more than five tokens of an account
/// are replaced within ten minutes.
public final class RejectionLimit: Sendable {
    /// Tokens of an account replaced within the window, at most.
    static let limit = 5
    /// Seconds.
    static let window = 600.0

    private struct State {
        var records: [TokenPlace: RejectionRecord] = [:]
        /// When tokens of an account were replaced.
        var replacements: [AccountName: [Moment]] = [:]
    }

    private let clock: any VaultClock
    private let state = Locked(State())

    /// A limit that nothing counts against yet.
    public init(clock: any VaultClock = SystemClock()) {
        self.clock = clock
    }

    /// Takes note of a token that a resource server rejected.
    func rejected(_ generation: UInt64, at place: TokenPlace) {
        let now = clock.now()
        state.withLock { $0.records[place, default: RejectionRecord()].rejected(generation, now) }
    }

    /// Whether a rejected token is to be replaced: as often as asked for one.
    func admits(_ generation: UInt64, at place: TokenPlace) -> Bool {
        let now = clock.now()
        return state.withLock { state in
            guard var record = state.records[place] else { return false }
            if record.isReplaced(generation) { return true }
            var times = state.replacements[place.account] ?? []
            times.removeAll { now.seconds(since: $0) >= Self.window }
            let isAdmitted = times.count < Self.limit && !record.isPaused(now)
            if isAdmitted {
                times.append(now)
                record.replace(generation, now)
            }
            state.replacements[place.account] = times
            state.records[place] = record
            return isAdmitted
        }
    }

    /// Takes note of a token that a resource server took.
    func accepted(_ generation: UInt64, at place: TokenPlace) {
        state.withLock { $0.records[place]?.accepted(generation) }
    }
}

/// Where rejections of a token count together.
struct TokenPlace: Sendable, Hashable {
    var account: AccountName
    var scope: Scope?
    var resource: String?
    /// Nil for whoever does not say where its requests go.
    var origin: Origin?
}

/// The rejections at one place: pure, times as arguments.
struct RejectionRecord: Sendable {
    /// Seconds for which nothing is replaced after the first replacement that was rejected.
    static let firstPause = 60.0
    /// Seconds that a pause has at most.
    static let longestPause = 3600.0

    private struct Replacement {
        let generation: UInt64
        let at: Moment
        /// Whether a later token was taken.
        var isProven = false
    }

    private var replacements: [Replacement] = []
    private var fruitless: (generation: UInt64, at: Moment)?
    private var pause = 0.0

    mutating func rejected(_ generation: UInt64, _ now: Moment) {
        replacements.removeAll { now.seconds(since: $0.at) >= RejectionLimit.window }
        if replacements.contains(where: { $0.generation < generation && !$0.isProven }) {
            giveUp(generation, now)
        }
    }

    mutating func accepted(_ generation: UInt64) {
        for index in replacements.indices where replacements[index].generation < generation {
            replacements[index].isProven = true
        }
        // The very one that was rejected says nothing new.
        if generation != fruitless?.generation { (fruitless, pause) = (nil, 0) }
    }

    mutating func replace(_ generation: UInt64, _ now: Moment) {
        replacements.append(Replacement(generation: generation, at: now))
    }

    /// Whether a token is being replaced, or was.
    func isReplaced(_ generation: UInt64) -> Bool {
        replacements.contains { $0.generation == generation }
    }

    func isPaused(_ now: Moment) -> Bool {
        fruitless.map { now.seconds(since: $0.at) < pause } ?? false
    }

    /// A crowd is rejected together: that is one time.
    private mutating func giveUp(_ generation: UInt64, _ now: Moment) {
        guard fruitless?.generation != generation else { return }
        fruitless = (generation, now)
        pause = min(max(Self.firstPause, 2 * pause), Self.longestPause)
    }
}
