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
        guard tokens.refreshToken != nil else {
            return signInNeeded(tokens.signInNeeded?.reason ?? .noRefreshToken)
        }
        if let needed = tokens.signInNeeded, urgency < .forced, !isProbeDue(needed, at: now) {
            return signInNeeded(needed.reason)
        }
        switch health.state {
        case .paused: return VaultError(.paused, account: name)
        case .verifyBeforeUse where urgency == .routine:
            return VaultError(.verifyBeforeUse, account: name)
        default: break
        }
        guard let pause = pause(at: now), urgency == .routine || pause.code == .throttled else {
            return nil
        }
        return pause
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
