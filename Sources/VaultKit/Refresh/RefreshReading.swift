internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultStore

/// What an answer does to an account: pure, from the answer and the account as it was.
enum RefreshReading {
    /// Seconds for which the refresh token before the new one is kept.
    private static let previousTokenLife: TimeInterval = 86_400
    /// Failures after which nobody counts any more.
    private static let failuresCounted = 1_000_000

    /// The pair to install for a granted answer.
    static func pair(
        _ response: TokenResponse,
        for account: StoredAccount,
        spentTokenHash: [UInt8],
        sent: Moment,
        now: Moment
    ) -> NewPair {
        let old = account.tokens
        let isRotated = response.refreshToken != nil && response.refreshToken != old.refreshToken
        let token = StoredAccessToken(
            value: response.accessToken,
            tokenType: response.tokenType,
            obtained: sent,
            lifetime: response.lifetime,
            grantedScope: response.scope ?? old.defaultToken?.grantedScope
        )
        let tokens = TokenSet(
            refreshToken: response.refreshToken ?? old.refreshToken,
            accessTokens: [token],
            previous: isRotated
                ? old.refreshToken.map { token in
                    PreviousRefreshToken(
                        value: token,
                        until: now.wall.addingTimeInterval(previousTokenLife)
                    )
                } : old.previous.flatMap { $0.until > now.wall ? $0 : nil }
        )
        let delay = RefreshSchedule.delay(
            lifetime: response.lifetime,
            refreshIn: response.refreshIn,
            account: account.id,
            generation: account.generation + 1
        )
        return NewPair(
            tokens: tokens,
            spentTokenHash: isRotated ? spentTokenHash : nil,
            now: now.wall,
            expiry: token.expiry(at: now),
            due: sent.wall.addingTimeInterval(delay)
        )
    }

    /// A refresh token that came without an access token: it is stored, the access token stays.
    static func pair(
        refreshTokenOf error: TokenEndpointError,
        for account: StoredAccount,
        spentTokenHash: [UInt8],
        now: Moment
    ) -> NewPair? {
        guard let refreshToken = error.refreshToken,
            refreshToken != account.tokens.refreshToken
        else { return nil }
        var tokens = account.tokens
        tokens.previous = account.tokens.refreshToken.map { token in
            PreviousRefreshToken(
                value: token,
                until: now.wall.addingTimeInterval(previousTokenLife)
            )
        }
        tokens.refreshToken = refreshToken
        tokens.hold = nil
        return NewPair(
            tokens: tokens,
            spentTokenHash: spentTokenHash,
            now: now.wall,
            expiry: tokens.defaultToken?.expiry(at: now),
            due: now.wall.addingTimeInterval(RefreshSchedule.quietPeriod)
        )
    }

    /// How a claim ends for an answer or failure without a pair.
    static func abandonment(
        of failure: RefreshFailure,
        account: StoredAccount,
        now: Moment,
        random: Double
    ) -> Abandonment {
        // The column is a hint: it may hold any number.
        let count = min(account.health.failures?.count ?? 0, failuresCounted) + 1
        let isAlive = account.tokens.defaultToken.map {
            ($0.secondsLeft(at: now) ?? 1) > 0
        }
        var delay = RefreshSchedule.backoff(
            failures: count,
            tokenIsAlive: isAlive ?? false,
            random: random
        )
        if failure.outcomeIsUnknown { delay = max(delay, RefreshSchedule.quietPeriod) }
        if let asked = failure.retryAfter {
            delay = max(delay, min(max(asked, 1), RefreshSchedule.longestPause))
        }
        if failure.state == .clientRefused { delay = max(delay, 300) }
        // The store keeps whole seconds: rounded down, a short back-off would be none.
        let end = (now.wall.timeIntervalSince1970 + delay).rounded(.up)
        let due = failure.state == .signInNeeded ? nil : Date(timeIntervalSince1970: end)
        return Abandonment(
            health: StoredAccount.Health(
                state: failure.state,
                due: due,
                failures: StoredAccount.Failures(
                    count: count,
                    last: failure.error.code.rawValue,
                    at: now.wall
                )
            ),
            outcomeIsUnknown: failure.outcomeIsUnknown,
            signInNeeded: failure.signInReason.map { SignInNeeded(reason: $0, since: now.wall) }
        )
    }
}

extension StoredAccount {
    /// Why nothing is sent for the account as it is now.
    ///
    /// A person who asks for a refresh passes over our back-off and over a doubt about the refresh
    /// token, not over what the server asked for.
    func obstacle(at now: Moment, isForced: Bool = false) -> VaultError? {
        let reason = tokens.signInNeeded?.reason
        if let reason = reason ?? (tokens.refreshToken == nil ? .noRefreshToken : nil) {
            return VaultError(.signInNeeded, account: name, facts: [.reason: reason.rawValue])
        }
        switch health.state {
        case .paused: return VaultError(.paused, account: name)
        case .verifyBeforeUse where !isForced: return VaultError(.verifyBeforeUse, account: name)
        default: break
        }
        guard let pause = pause(at: now), !isForced || pause.code == .throttled else { return nil }
        return pause
    }

    /// The failure that keeps the account waiting.
    private func pause(at now: Moment) -> VaultError? {
        guard let failures = health.failures, let pause = RefreshSchedule.pause(health, at: now)
        else { return nil }
        // A column that no seal covers does not get to send a person to a sign-in.
        let codes: [VaultError.Code] = [
            .unreachable, .throttled, .clientRefused, .requestRefused, .outcomeUnknown,
        ]
        return VaultError(
            codes.first { $0.rawValue == failures.last } ?? .outcomeUnknown,
            account: name,
            facts: [
                .host: settings.tokenEndpoint.host,
                .retryAfter: "\(Int(pause.rounded(.up)))",
            ]
        )
    }
}
