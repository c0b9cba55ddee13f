public import Platform

/// Keeps a resource server that rejects every token from having the vault refresh without end.
///
/// A rejected token is replaced by a refresh, which costs the authorization server a request and the
/// account a refresh token. Where the replacement is rejected too, no refresh helps: for a minute, and
/// longer each time, rejections are left as they are. Whatever happens, no more than five tokens of
/// an account are replaced within ten minutes.
public final class RejectionLimit: Sendable {
    private let clock: any VaultClock
    private let records = Locked<[AccountName: RejectionRecord]>([:])

    /// A limit that nothing counts against yet.
    public init(clock: any VaultClock = SystemClock()) {
        self.clock = clock
    }

    /// Whether a rejected token is to be replaced; as often as asked for one generation.
    func admits(_ generation: UInt64, of account: AccountName) -> Bool {
        let now = clock.now()
        return records.withLock { $0[account, default: RejectionRecord()].admits(generation, now) }
    }

    /// Takes note of what a resource server made of a token.
    func note(_ generation: UInt64, of account: AccountName, wasRejected: Bool) {
        let now = clock.now()
        records.withLock { records in
            records[account]?.note(generation, wasRejected: wasRejected, now)
        }
    }
}

/// The rejections of one account: pure, times as arguments.
struct RejectionRecord: Sendable {
    /// Tokens replaced within the window, at most.
    static let limit = 5
    /// Seconds.
    static let window = 600.0
    /// Seconds for which nothing is replaced after the first replacement that was rejected.
    static let firstPause = 60.0
    /// Seconds that a pause has at most.
    static let longestPause = 3600.0

    private var replaced: [(generation: UInt64, at: Moment)] = []
    private var fruitless: (generation: UInt64, at: Moment)?
    private var pause = 0.0

    mutating func admits(_ generation: UInt64, _ now: Moment) -> Bool {
        replaced.removeAll { now.seconds(since: $0.at) >= Self.window }
        if replaced.contains(where: { $0.generation == generation }) { return true }
        if let fruitless, now.seconds(since: fruitless.at) < pause { return false }
        guard replaced.count < Self.limit else { return false }
        replaced.append((generation, now))
        return true
    }

    mutating func note(_ generation: UInt64, wasRejected: Bool, _ now: Moment) {
        guard wasRejected else {
            // One that is not newer says nothing of the last refresh; a new grant counts from 1.
            if generation > fruitless?.generation ?? 0 || generation == 1 {
                (fruitless, pause) = (nil, 0)
            }
            return
        }
        // A crowd is rejected together: that is one time.
        guard fruitless?.generation != generation else { return }
        fruitless = (generation, now)
        pause = min(max(Self.firstPause, 2 * pause), Self.longestPause)
    }
}
