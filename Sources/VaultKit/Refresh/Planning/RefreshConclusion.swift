internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultStore

/// What came of a request that presented a refresh token.
enum RefreshAnswer: Sendable {
    case answered(TokenAnswer)
    case failed(HTTPTransportError)
}

/// What an answer does to the account.
enum RefreshConclusion: Sendable {
    case install(NewPair)
    /// A refresh token came without an access token: it is stored, and what failed is written down
    /// beside it.
    case rescue(NewPair, then: Abandonment, VaultError)
    case abandon(Abandonment, VaultError)
    /// The client has another secret, which is tried at once: the one that was sent is refused, and
    /// the grant was not looked at.
    case swapSecret(Abandonment)
}

/// Step 7: an answer, or its absence, and all that follows from it.
extension RefreshPlanner {
    /// All that follows from an answer, or from there being none.
    ///
    /// - Parameters:
    ///   - answer: What came back.
    ///   - intent: What was written down before the request.
    ///   - sent: When the request was sent: lifetimes count from there.
    ///   - now: When the answer was here.
    ///   - random: A number from 0 to 1 that spreads retries.
    /// - Returns: What is stored.
    func conclude(
        _ answer: RefreshAnswer,
        to intent: Intent,
        sent: Moment,
        at now: Moment,
        random: Double
    ) -> RefreshConclusion {
        switch answer {
        case .answered(.granted(let response)):
            return .install(pair(response, for: intent, sent: sent, at: now))
        case .answered(.refused(let refusal)) where wantsOtherSecret(refusal):
            var end = withdrawal()
            end.swapsSecret = true
            return .swapSecret(end)
        case .answered(.refused(let refusal)):
            let failure = RefreshFailure(refusal, for: account, intent)
            let end =
                concernsRequestAlone(failure)
                ? unharmed(failure, at: now)
                : abandonment(for: failure, intent, refusal, at: now, random: random)
            let error = told(failure.error, end)
            guard let rescued = pair(refusal.refreshToken, for: intent, at: now) else {
                return .abandon(end, error)
            }
            var after = end
            // The refresh token that is stored then was never sent.
            after.outcomeIsUnknown = false
            return .rescue(rescued, then: after, error)
        case .failed(let error):
            let failure = RefreshFailure(error, for: account, intent)
            let end = abandonment(for: failure, intent, nil, at: now, random: random)
            return .abandon(end, told(failure.error, end))
        }
    }

    /// Whether it may be what was asked for that is refused: the account's own refreshes go on.
    ///
    /// A scope or resource that nobody consented to is refused by the codes of a dead grant (Entra:
    /// `invalid_grant` with `consent_required`) or of a client (RFC 6749 §5.2: `unauthorized_client`).
    private func concernsRequestAlone(_ failure: RefreshFailure) -> Bool {
        request != nil
            && [.requestRefused, .clientRefused, .signInNeeded].contains(failure.error.code)
    }

    /// How a claim ends that says nothing certain about the account.
    private func unharmed(_ failure: RefreshFailure, at now: Moment) -> Abandonment {
        var end = withdrawal()
        guard let reason = failure.signInReason, reason != .interactionRequired else { return end }
        end.keepsHealth = false
        // The grant is dead, or only not good for this. The account's own refresh tells, at once: a
        // token that is refused is not spent by that.
        end.health.due = min(end.health.due ?? .distantFuture, Self.due(account, at: now))
        if end.outcomeIsUnknown {
            end.health.state = account.tokens.signInNeeded == nil ? .outcomeUnknown : .signInNeeded
            end.health.failures = StoredAccount.Failures(
                count: max(account.health.failures?.count ?? 0, 1),
                last: VaultError.Code.outcomeUnknown.rawValue,
                at: now.wall
            )
        }
        end.at = now.wall
        return end
    }

    /// A time at which the account is due now, by the wall clock and by the age of its token.
    private static func due(_ account: StoredAccount, at now: Moment) -> Date {
        let byAge = account.tokens.defaultToken.map { token in
            token.obtained.wall.addingTimeInterval(now.seconds(since: token.obtained))
        }
        let due = min(now.wall, byAge ?? now.wall)
        return Date(timeIntervalSince1970: due.timeIntervalSince1970.rounded(.down))
    }

    /// Whether it is worth while to send the client's other secret: the first was refused by the one
    /// code that says so, and not for the second time in a row.
    private func wantsOtherSecret(_ refusal: TokenEndpointError) -> Bool {
        !hasSwapped && account.settings.withOtherSecret != nil && refusal.class == .clientRefused
            && refusal.code == "invalid_client"
    }

    /// What a caller is told: that a person is needed, where one is, whatever came back this time.
    private func told(_ error: VaultError, _ end: Abandonment) -> VaultError {
        guard let needed = end.signInNeeded else { return error }
        var facts = error.facts
        facts[.reason] = needed.reason.rawValue
        return VaultError(.signInNeeded, account: account.name, facts: facts)
    }

    /// How the claim ends for an answer or failure without a pair.
    private func abandonment(
        for failure: RefreshFailure,
        _ intent: Intent,
        _ refusal: TokenEndpointError?,
        at now: Moment,
        random: Double
    ) -> Abandonment {
        // The column is a hint: it may hold any number.
        let count = min(account.health.failures?.count ?? 0, Self.failuresCounted) + 1
        let backoff = RefreshSchedule.backoff(
            failures: count,
            tokenIsAlive: isTokenAlive(at: now),
            random: random
        )
        // What was asked for beside the account's own may be all that is refused.
        let silent =
            request == nil && account.settings.grantKind == .refreshToken
            ? silentRefusals(refusal, at: now) : nil
        let needed = signInNeeded(failure, intent, silent, at: now)
        let delay =
            needed.map { RefreshSchedule.probe(of: $0, at: now, random: random) }
            ?? delay(after: failure, intent, backoff: backoff, at: now)
        let failures = StoredAccount.Failures(
            count: count,
            last: needed == nil
                ? failure.error.code.rawValue : VaultError.Code.signInNeeded.rawValue,
            at: now.wall
        )
        return Abandonment(
            health: StoredAccount.Health(
                state: needed == nil ? failure.state : .signInNeeded,
                due: delay.map { Self.end(of: $0, from: now) },
                failures: failures
            ),
            outcomeIsUnknown: failure.outcomeIsUnknown && needed == nil,
            signInNeeded: needed,
            doubted: needed?.isDoubtful == true ? doubted(failures, at: now, random: random) : nil,
            silentRefusals: needed == nil
                ? (request == nil ? silent : account.tokens.silentRefusals) : nil,
            effect: effect(of: failure, intent, backoff: backoff, at: now),
            at: now.wall
        )
    }

    /// The store keeps whole seconds: rounded down, a short back-off would be none.
    private static func end(of delay: Double, from now: Moment) -> Date {
        Date(timeIntervalSince1970: (now.wall.timeIntervalSince1970 + delay).rounded(.up))
    }

    private func isTokenAlive(at now: Moment) -> Bool {
        account.tokens.defaultToken.map { ($0.secondsLeft(at: now) ?? 1) > 0 } ?? false
    }

    private func delay(
        after failure: RefreshFailure,
        _ intent: Intent,
        backoff: Double,
        at now: Moment
    ) -> Double {
        var delay = backoff
        if failure.outcomeIsUnknown {
            delay = self.delay(
                afterLosing: intent,
                // What was not sent this time did no harm either.
                isAnswered: failure.isAnswered || failure.error.code == .unreachable,
                backoff: backoff,
                at: now
            )
        }
        if let asked = failure.retryAfter {
            delay = max(delay, RefreshSchedule.pause(asked: asked))
        }
        if failure.state == .clientRefused { delay = max(delay, ClientState.tryInterval) }
        return delay
    }

    private func effect(
        of failure: RefreshFailure,
        _ intent: Intent,
        backoff: Double,
        at now: Moment
    ) -> ClientEffect? {
        switch failure.error.code {
        case .clientRefused: return .refused
        case .throttled:
            let pause = RefreshSchedule.pause(asked: failure.retryAfter ?? backoff)
            return .throttled(until: Self.end(of: pause, from: now))
        // A probe of a grant that is refused already is no news.
        case .signInNeeded where account.tokens.signInNeeded == nil:
            // Early enough for any grace period that there may be.
            let isEarly = now.seconds(since: intent.first) < 60
            return .grantRefused(
                isEarlyRetry: failure.signInReason == .rotationLost && isEarly
            )
        default: return nil
        }
    }

    // MARK: - Dead grants

    /// What a token endpoint answers that refuses; others speak for what stands before it.
    private static let refusingStatuses: Set = [400, 403, 422]

    /// What a refusal without a readable reason adds to those before it; nil for any other answer.
    private func silentRefusals(
        _ refusal: TokenEndpointError?,
        at now: Moment
    ) -> SilentRefusals? {
        guard let refusal, refusal.class == .ambiguous(.malformed),
            Self.refusingStatuses.contains(refusal.status), !refusal.isPage,
            refusal.code == nil, refusal.description == nil
        else { return nil }
        guard let known = account.tokens.silentRefusals, known.status == refusal.status,
            now.seconds(since: known.since) >= 0
        else { return SilentRefusals(status: refusal.status, count: 1, since: now) }
        return SilentRefusals(status: known.status, count: known.count + 1, since: known.since)
    }

    private func signInNeeded(
        _ failure: RefreshFailure,
        _ intent: Intent,
        _ silent: SilentRefusals?,
        at now: Moment
    ) -> SignInNeeded? {
        // A probe that brings no grant changes nothing but the time of the next.
        if let known = account.tokens.signInNeeded { return known }
        if let reason = failure.signInReason {
            return SignInNeeded(
                reason: reason,
                since: now.wall,
                firstSent: failure.sendings?.firstSent,
                sentAgain: failure.sendings?.sentAgain
            )
        }
        guard let silent, silent.count >= 3, now.seconds(since: silent.since) >= 600,
            account.tokens.defaultToken.map({ $0.plannedSecondsLeft(at: now) <= 0 }) ?? true
        else { return nil }
        return SignInNeeded(reason: .refusedWithoutReason, since: now.wall)
    }

    /// How the account does while its client's refusals are not believed.
    private func doubted(
        _ failures: StoredAccount.Failures,
        at now: Moment,
        random: Double
    ) -> StoredAccount.Health {
        var failures = failures
        failures.last = VaultError.Code.massRefusal.rawValue
        let wait = ClientState.tryInterval * (1 + random)
        return StoredAccount.Health(
            state: .backingOff,
            due: Self.end(of: wait, from: now),
            failures: failures
        )
    }
}
