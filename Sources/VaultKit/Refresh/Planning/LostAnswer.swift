internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultStore

/// What is done about a refresh token that was sent, and whose answer nobody has.
///
/// The server may have spent it. Sending it once more gets the pair from a server that allows that,
/// and ends the grant at one that does not.
extension RefreshPlanner {
    /// Retries refused before a server is taken to be strict.
    private static let refusalsThatTeach = 3
    /// Seconds kept from the end of a grace period, for the way there.
    private static let graceMargin = 2.0

    /// What the server does with used refresh tokens: as told, else as learned.
    ///
    /// Only strictness is believed of the client's row, which no seal covers: it makes a retry late
    /// and no more. That a server spends nothing is believed of the account's own record.
    var rotation: RefreshTokenRotation {
        // There is none to be spent.
        if account.settings.grantKind == .clientCredentials { return .none }
        if let told = account.settings.refresh.rotation, told != .unknown { return told }
        if account.tokens.timesKept >= TokenSet.keptCounted { return .none }
        let retries = client.retries
        let isStrict =
            retries.refused >= Self.refusalsThatTeach && retries.refused > 2 * retries.granted
        return isStrict ? .strict : .unknown
    }

    /// Seconds to wait before what a process that died has sent may be sent again; nil for none.
    func waitForLostAnswer(at now: Moment) -> Double? {
        guard let intent = account.intent, urgency < .asked else { return nil }
        switch rotation {
        case .none, .overlap: return nil
        case .grace(let seconds):
            return now.seconds(since: intent.first) < seconds ? nil : timeUntilLastChance(at: now)
        case .unknown:
            guard let lastChance = timeUntilLastChance(at: now) else { return nil }
            if let planned = plannedWait(after: intent, at: now) {
                return planned > 0 ? min(planned, lastChance) : nil
            }
            // One early retry. Whoever died again may have sent it.
            return intent.attempt < 2 ? nil : lastChance
        // Whatever was planned: a plan is a column that no seal covers.
        case .strict: return timeUntilLastChance(at: now)
        }
    }

    /// Seconds until a refresh token whose answer was lost is sent once more.
    ///
    /// A server that answers, if only to say that something is wrong with it, did not take the
    /// refresh token for one that was used.
    func delay(
        afterLosing intent: Intent,
        isAnswered: Bool,
        backoff: Double,
        at now: Moment
    ) -> Double {
        switch rotation {
        case .none, .overlap: return backoff
        case .grace(let seconds):
            let left = seconds - Self.graceMargin - now.seconds(since: intent.first)
            if left > 0 { return min(backoff, left) }
        case .unknown:
            if isAnswered || intent.attempt < 2 { return RefreshSchedule.quiet(before: backoff) }
        case .strict: break
        }
        return timeUntilLastChance(at: now) ?? RefreshSchedule.quiet(before: backoff)
    }

    /// Seconds until the next try, where somebody planned it who knew that the answer was lost.
    private func plannedWait(after intent: Intent, at now: Moment) -> Double? {
        // Whole seconds are stored.
        guard let failures = account.health.failures, let due = account.health.due,
            failures.at.addingTimeInterval(1) > intent.claimed.wall
        else { return nil }
        return due.timeIntervalSince(now.wall)
    }

    /// Seconds for which the access token is good enough to go on with; nil when it is not.
    private func timeUntilLastChance(at now: Moment) -> Double? {
        guard let token = account.tokens.defaultToken else { return nil }
        let promise = RefreshSchedule.promise(of: token, provider: account.settings.provider)
        let left = token.plannedSecondsLeft(at: now) - promise
        return left > 0 ? left : nil
    }
}

extension StoredAccessToken {
    /// Seconds it is valid for, as far as anybody can plan.
    func plannedSecondsLeft(at now: Moment) -> Double {
        secondsLeft(at: now) ?? RefreshSchedule.assumedLifetime - now.seconds(since: obtained)
    }
}
