package import FoundationEssentials
package import OAuth
package import Platform
package import VaultCrypto
package import VaultStore

/// When a token is refreshed, and how long a failure waits.
///
/// Pure: numbers in, numbers out.
package enum RefreshSchedule {
    /// Seconds a token of unknown lifetime is planned to live.
    static let assumedLifetime = 3600.0
    /// Seconds a token handed out by default stays valid, or a quarter of its life if that is less.
    static let defaultPromise = 60.0
    /// Seconds that must be left for a token to be handed out when it cannot be renewed.
    static let lastMoment = 5.0
    /// Seconds before a refresh whose answer was lost is sent once more.
    static let quietPeriod = 10.0
    /// Seconds that a refresh takes at most: whoever claimed one before that is dead.
    static let longestRefresh = 60.0
    /// Seconds for which a failure keeps anything from being sent at most, whatever a server asks.
    static let longestPause = ClientState.longestPause
    /// Seconds for which a token is so new that another would live no longer.
    static let newness = 30.0
    /// Seconds between two refreshes at least, where the lifetimes that are known would have them
    /// closer together.
    static let shortestDelay = 30.0

    private static let shortLifetime = 300.0
    private static let leadBounds = 60.0...900.0
    private static let earliestShare = 0.4
    /// The share of its life after which an eager account's token is refreshed at the latest.
    private static let eagerShare = 0.5
    /// The most that the jitter adds to the lead, as a share of it.
    private static let jitterShare = 0.5
    /// Of an account's first pair the refresh comes this many leads before expiry at the earliest, and
    /// this share of one at the latest: very many accounts may be added at one moment, and are spread
    /// once and for all.
    private static let firstLeads = 0.5...3.0

    /// Seconds before expiry at which a token of this lifetime is refreshed at the latest.
    package static func lead(lifetime: Double) -> Double {
        guard lifetime >= shortLifetime else { return lifetime * 0.4 }
        return min(max(lifetime * 0.2, leadBounds.lowerBound), leadBounds.upperBound)
    }

    /// Seconds from when a token was obtained until its refresh is due.
    ///
    /// The jitter comes from account and generation, so that restarts and other processes agree. The
    /// provider's entry says what the answer does not.
    package static func delay(
        lifetime: Double?,
        refreshIn: Double?,
        provider: ProviderCatalogue.Entry? = nil,
        isEager: Bool = false,
        account: AccountID,
        generation: UInt64
    ) -> Double {
        let known = lifetime.flatMap { $0 > 0 ? $0 : nil }
        let lifetime = known ?? provider?.accessTokenLifetime ?? assumedLifetime
        // Some refuse a refresh that comes before the old token is nearly over: the jitter stays
        // within what they allow.
        let allowed = provider?.refreshLead ?? .infinity
        let lead = min(allowed / (1 + jitterShare), lead(lifetime: lifetime))
        let unit = unit(account, generation)
        var leads = lead...lead * (1 + jitterShare)
        if generation == 1 { leads = firstLeads(lead, lifetime: lifetime, allowed: allowed) }
        var delay = lifetime - leads.lowerBound - unit * (leads.upperBound - leads.lowerBound)
        if isEager {
            let eager = lifetime * (eagerShare - unit * (eagerShare - earliestShare))
            delay = min(delay, max(eager, lifetime - allowed))
        }
        if let refreshIn { delay = min(delay, refreshIn + unit * lead * jitterShare) }
        return max(delay, lifetime * earliestShare, known == nil ? shortestDelay : 1)
    }

    /// Between how many seconds before expiry and how many the first refresh comes.
    private static func firstLeads(
        _ lead: Double,
        lifetime: Double,
        allowed: Double
    ) -> ClosedRange<Double> {
        let shortest = max(lead * firstLeads.lowerBound, min(lead, leadBounds.lowerBound))
        let longest = min(
            lead * firstLeads.upperBound,
            lifetime * (1 - earliestShare),
            max(allowed, shortest)
        )
        return shortest...max(shortest, longest)
    }

    /// The same for an account as it is stored, but for what its last answer wished.
    private static func delay(_ account: StoredAccount, _ token: StoredAccessToken) -> Double? {
        RenewalPlan(account).delay(of: token, generation: account.generation)
    }

    /// When the token of an account from another vault is refreshed first, or comes to its end
    /// because it cannot be; nil when nobody knows.
    ///
    /// What is due already is spread over a while: a file may have very many of them.
    package static func due(importing account: ExportedAccount, at now: Moment) -> Date? {
        let soon = now.wall.addingTimeInterval(
            newness * unit(account.id, account.generation)
        )
        guard let token = account.tokens.defaultToken else { return soon }
        guard account.settings.isRenewable(with: account.tokens.refreshToken) else {
            return token.expiry(at: now).map { max($0, soon) }
        }
        let plan = RenewalPlan(account.settings, grant: account.tokens.grant, account: account.id)
        return plan.delay(of: token, generation: account.generation).map { delay in
            max(token.obtained.wall.addingTimeInterval(delay), soon)
        }
    }

    /// Whether a token keeps the promise that a caller asked for, or the default one.
    ///
    /// The provider's entry is looked for only when that may make a difference.
    package static func isGood(
        _ token: StoredAccessToken,
        minimumLifetime: Double?,
        provider: @autoclosure () -> ProviderCatalogue.Entry? = nil,
        at now: Moment
    ) -> Bool {
        // Nobody said when it expires: it is good until a 401 says otherwise.
        guard let left = token.secondsLeft(at: now), let lifetime = token.lifetime else {
            return true
        }
        // More than its whole life is left of it only if the wall clock was set back between boots.
        guard left <= lifetime else { return false }
        if let minimumLifetime { return left >= minimumLifetime }
        return left >= promise(of: token) || left >= promise(of: token, provider: provider())
    }

    /// Seconds that a token is promised to last when nothing else is asked for.
    ///
    /// No more than what is left when the provider grants the next one.
    static func promise(
        of token: StoredAccessToken,
        provider: ProviderCatalogue.Entry? = nil
    ) -> Double {
        let promise = min(defaultPromise, (token.lifetime ?? assumedLifetime) / 4)
        return min(promise, provider?.refreshLead ?? promise)
    }

    /// Whether a token that cannot be renewed now is still worth handing out.
    package static func isUsable(_ token: StoredAccessToken, at now: Moment) -> Bool {
        guard let left = token.secondsLeft(at: now), let lifetime = token.lifetime else {
            return true
        }
        return left >= min(lastMoment, lifetime / 4)
    }

    /// Whether the planned refresh of an account is due.
    ///
    /// Within one boot the plan counts from when the token was obtained, so that setting the wall
    /// clock neither brings a refresh on nor puts it off. A back-off is the wall clock's.
    static func isDue(_ account: StoredAccount, at now: Moment) -> Bool {
        guard let due = account.health.due, !isLeftToCallers(account, at: now) else { return false }
        if let failures = account.health.failures {
            // A plan made before the wall clock was set back is none any more.
            return due <= now.wall || failures.at > now.wall
        }
        guard let token = account.tokens.defaultToken, token.obtained.isOfBoot(of: now) else {
            return due <= now.wall
        }
        let age = now.seconds(since: token.obtained)
        // A due time that lies ahead may be of a clock that was set back since.
        let setBack = age - now.wall.timeIntervalSince(token.obtained.wall)
        guard due <= now.wall || setBack > 1 else { return false }
        return age >= delay(account, token, due: due, at: now)
    }

    /// Seconds from when a token was obtained until its refresh is due, by a plan of this boot.
    ///
    /// Nobody knows whether the due time was written before the wall clock was set or thought over
    /// since. So of both readings it is the later one, and no later than the plan: thinking it over
    /// once more changes nothing. What was due before there was a token is of neither.
    private static func delay(
        _ account: StoredAccount,
        _ token: StoredAccessToken,
        due: Date,
        at now: Moment
    ) -> Double {
        let planned = delay(account, token)
        let onThatClock = due.timeIntervalSince(token.obtained.wall)
        let onThisClock = due.timeIntervalSince(now.wall) + now.seconds(since: token.obtained)
        let told = max(onThatClock, onThisClock)
        // Without a plan of its own it is what was begun that is due.
        guard let planned else { return max(told, 0) }
        return told < 0 ? planned : min(told, planned)
    }

    /// When the refresh of an account is due by the clocks as they are: what was planned before the
    /// wall clock was set lies elsewhere on it.
    static func replanned(_ account: StoredAccount, at now: Moment) -> Date? {
        guard let due = account.health.due else { return nil }
        if let failures = account.health.failures { return failures.at > now.wall ? now.wall : due }
        guard let token = account.tokens.defaultToken else { return due }
        let obtained = token.obtained
        if obtained.isOfBoot(of: now) {
            // Where nothing renews it, it is the end that is due.
            guard account.isRenewable else { return token.expiry(at: now) ?? due }
            let delay = delay(account, token, due: due, at: now)
            return now.wall.addingTimeInterval(delay - now.seconds(since: obtained))
        }
        // Obtained in the future: nobody knows how long ago. Thought over again, it is not put off.
        guard obtained.wall > now.wall else { return due }
        return min(
            due,
            now.wall.addingTimeInterval(newness * unit(account.id, account.generation))
        )
    }

    /// Seconds to wait after the n-th failure in a row: full jitter over 2 s doubled each time.
    package static func backoff(failures: Int, tokenIsAlive: Bool, random: Double) -> Double {
        let cap = tokenIsAlive ? 300.0 : 1800.0
        let bound = min(cap, 2 * exp2(Double(min(failures - 1, 16))))
        return max(0.5, bound * random)
    }

    /// Seconds that a server's wish for peace is heeded.
    static func pause(asked: Double) -> Double {
        min(max(asked, 1), longestPause)
    }

    /// Seconds from one probe of a refused grant to the next, and days for which it is probed.
    private static let probeInterval = 86_400.0
    private static let probedDays = 4.0

    /// Seconds until a refused grant is asked for once more; nil when that is no use.
    static func probe(of needed: SignInNeeded, at now: Moment, random: Double) -> Double? {
        let interval = probeInterval * (1 + random / 10)
        return isProbed(needed, at: now.advanced(by: interval)) ? interval : nil
    }

    /// Whether a refused grant is still asked for now and then.
    static func isProbed(_ needed: SignInNeeded, at now: Moment) -> Bool {
        let age = now.wall.timeIntervalSince(needed.since)
        return needed.isDoubtful && age >= 0 && age < probedDays * probeInterval
    }

    /// Seconds before a refresh whose answer was lost is sent once more.
    ///
    /// The back-off comes on top, or all who failed at one moment would come back at one moment.
    static func quiet(before backoff: Double) -> Double { quietPeriod + backoff }

    /// Seconds for which nothing is sent after a failure; nil when it may be.
    ///
    /// No seal covers these columns, and the wall clock may have been set back since: a pause that
    /// cannot have been decided on is passed over.
    static func pause(_ health: StoredAccount.Health, at now: Moment) -> Double? {
        guard let failures = health.failures, let due = health.due, failures.at <= now.wall
        else { return nil }
        let pause = due.timeIntervalSince(now.wall)
        // Whole seconds are stored, rounded up.
        return pause > 0 && pause <= longestPause + 1 ? pause : nil
    }

    /// 2 to a whole power.
    private static func exp2(_ power: Double) -> Double {
        (0..<Int(power)).reduce(1.0) { value, _ in value * 2 }
    }

    /// A number from 0 to 1 that depends on account and generation alone.
    static func unit(_ account: AccountID, _ generation: UInt64) -> Double {
        // FNV-1a over the random identifier and the generation: spreading, not secrecy.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in account.bytes + withBytes(of: generation) {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        // Its last bytes reach only some of the bits: these steps, the end of SplitMix64, mix them.
        hash = (hash ^ hash >> 30) &* 0xbf58_476d_1ce4_e5b9
        hash = (hash ^ hash >> 27) &* 0x94d0_49bb_1331_11eb
        hash ^= hash >> 31
        return Double(hash >> 11) / Double(UInt64(1) << 53)
    }

    private static func withBytes(of value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
