internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultStore

extension StoredAccount {
    /// Why nothing is sent for the account as it is now.
    func obstacle(
        at now: Moment,
        urgency: RefreshPlanner.Urgency = .routine
    ) -> VaultError? {
        guard isRenewable else { return notRenewable(at: now) }
        if let needed = tokens.signInNeeded, urgency < .forced, !isProbeDue(needed, at: now) {
            return signInNeeded(needed.reason)
        }
        if settings.isOfUnknownProvider { return unknownProvider }
        switch health.state {
        case .paused: return VaultError(.paused, account: name)
        case .verifyBeforeUse where urgency < .asked:
            return VaultError(.verifyBeforeUse, account: name)
        default: break
        }
        guard let pause = pause(at: now), urgency < .asked || pause.code == .throttled else {
            return nil
        }
        return pause
    }

    /// Whether an account that nothing renews came to its end, and nobody wrote that down.
    func hasEndedUnnoticed(at now: Moment) -> Bool {
        !isRenewable && health.state != .signInNeeded
            && tokens.defaultToken.map { secondsLeft(of: $0, at: now) <= 0 } ?? true
    }

    /// Seconds that a token is taken to live on; one that nobody renews, and of which nobody said when
    /// it ends, has no end.
    private func secondsLeft(of token: StoredAccessToken, at now: Moment) -> Double {
        guard settings.grantKind == .static, token.lifetime == nil else {
            return token.plannedSecondsLeft(at: now)
        }
        return .infinity
    }

    private func notRenewable(at now: Moment) -> VaultError {
        guard settings.grantKind == .static else {
            return signInNeeded(tokens.signInNeeded?.reason ?? .noRefreshToken)
        }
        let isOver = tokens.defaultToken.map { secondsLeft(of: $0, at: now) <= 0 } ?? true
        guard !isOver else { return signInNeeded(.tokenExpired) }
        return VaultError(
            .signInNeeded,
            account: name,
            facts: [.reason: AccountState.static.rawValue]
        )
    }

    /// What is written down of an account that only a person can help; nil when it is already.
    ///
    /// Nothing is due of it any more, or the queue would bring it up for ever. One that is good for a
    /// while yet, whatever the column of its due time says, is brought up again at its end.
    func end(at now: Moment) -> Health? {
        let isDue = health.due.map { $0 <= now.wall } ?? false
        if hasEndedUnnoticed(at: now) || tokens.signInNeeded != nil && isDue {
            return Health(state: .signInNeeded, due: nil, failures: health.failures)
        }
        guard !isRenewable, isDue else { return nil }
        let isOver = health.state == .signInNeeded
        let end = isOver ? nil : tokens.defaultToken?.expiry(at: now)
        return Health(state: health.state, due: end, failures: health.failures)
    }

    private var unknownProvider: VaultError {
        VaultError(
            .newerFormat,
            account: name,
            facts: [.field: "provider", .found: settings.refresh.provider ?? ""]
        )
    }

    private func signInNeeded(_ reason: SignInNeeded.Reason) -> VaultError {
        VaultError(.signInNeeded, account: name, facts: [.reason: reason.rawValue])
    }

    /// Whether a grant that was refused is asked for once more: servers err, for hours at times.
    private func isProbeDue(_ needed: SignInNeeded, at now: Moment) -> Bool {
        guard let due = health.due, due <= now.wall, due > needed.since else { return false }
        return RefreshSchedule.isProbed(needed, at: now)
    }

    /// The failure that keeps the account waiting.
    private func pause(at now: Moment) -> VaultError? {
        guard let failures = health.failures, let pause = RefreshSchedule.pause(health, at: now)
        else { return nil }
        // What comes so long after the failure is the plan of an account left to its callers.
        if settings.renewal == .manual, let due = health.due,
            due.timeIntervalSince(failures.at) > RefreshSchedule.longestPause + 1
        {
            return nil
        }
        // A column that no seal covers does not get to send a person to a sign-in.
        let codes: [VaultError.Code] = [
            .unreachable, .throttled, .clientRefused, .requestRefused, .outcomeUnknown,
            .massRefusal,
        ]
        return VaultError(
            codes.first { $0.rawValue == failures.last } ?? .outcomeUnknown,
            account: name,
            facts: [
                .host: settings.refreshEndpoint.host,
                .retryAfter: "\(Int(pause.rounded(.up)))",
            ]
        )
    }
}
