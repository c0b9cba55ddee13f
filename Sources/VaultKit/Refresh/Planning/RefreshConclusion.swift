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
                ? unharmed(failure)
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

    /// Whether it is what was asked for that is refused: the account's own refreshes go on.
    private func concernsRequestAlone(_ failure: RefreshFailure) -> Bool {
        request != nil && failure.error.code == .requestRefused
    }

    /// How a claim ends that says nothing about the account.
    private func unharmed(_ failure: RefreshFailure) -> Abandonment {
        var end = withdrawal()
        end.outcomeIsUnknown = failure.outcomeIsUnknown
        return end
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
        let silent = silentRefusals(refusal, at: now)
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
            silentRefusals: needed == nil ? silent : nil,
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
        if failure.state == .outcomeUnknown {
            delay = self.delay(
                afterLosing: intent,
                isAnswered: failure.isAnswered,
                backoff: backoff,
                at: now
            )
        } else if failure.outcomeIsUnknown {
            delay = RefreshSchedule.quiet(before: delay)
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
        // Within any grace period that there may be.
        case .signInNeeded where intent.attempt > 1 && now.seconds(since: intent.first) < 60:
            return .retryRefused
        default: return nil
        }
    }

    // MARK: - Dead grants

    /// What a refusal without a readable reason adds to those before it; nil for any other answer.
    private func silentRefusals(
        _ refusal: TokenEndpointError?,
        at now: Moment
    ) -> SilentRefusals? {
        guard let refusal, refusal.class == .ambiguous(.malformed),
            (400..<500).contains(refusal.status), refusal.code == nil, refusal.description == nil
        else { return nil }
        guard let known = account.tokens.silentRefusals, known.status == refusal.status,
            known.since <= now.wall
        else { return SilentRefusals(status: refusal.status, count: 1, since: now.wall) }
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
        guard let silent, silent.count >= 3, now.wall.timeIntervalSince(silent.since) >= 600,
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
