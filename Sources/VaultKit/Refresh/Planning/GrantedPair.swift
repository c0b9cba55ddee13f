internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultCrypto
internal import VaultStore

/// The pair that is installed for an answer.
extension RefreshPlanner {
    /// Seconds for which the refresh token before the new one is kept.
    private static let previousTokenLife: TimeInterval = 86_400

    /// The pair of a granted answer.
    func pair(
        _ response: TokenResponse,
        for intent: Intent,
        sent: Moment,
        at now: Moment
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
                ? previous(at: now) : old.previous.flatMap { $0.until > now.wall ? $0 : nil },
            lateDuplicate: isRotated ? intent.sendings : nil,
            timesKept: isRotated ? 0 : min(old.timesKept + 1, TokenSet.keptCounted)
        )
        let delay = RefreshSchedule.delay(
            lifetime: response.lifetime,
            refreshIn: response.refreshIn,
            provider: account.settings.provider,
            account: account.id,
            generation: account.generation + 1
        )
        return NewPair(
            tokens: tokens,
            spentTokenHash: isRotated ? intent.refreshTokenHash : nil,
            now: now.wall,
            expiry: token.expiry(at: now),
            due: sent.wall.addingTimeInterval(delay),
            effect: .granted(isRetry: intent.attempt > 1)
        )
    }

    /// A refresh token that came without an access token: it is stored, the access token stays.
    func pair(_ refreshToken: Secret?, for intent: Intent, at now: Moment) -> NewPair? {
        guard let refreshToken, refreshToken != account.tokens.refreshToken else { return nil }
        var tokens = account.tokens
        tokens.previous = previous(at: now)
        tokens.refreshToken = refreshToken
        tokens.hold = nil
        tokens.signInNeeded = nil
        tokens.silentRefusals = nil
        tokens.lateDuplicate = intent.sendings
        tokens.timesKept = 0
        return NewPair(
            tokens: tokens,
            spentTokenHash: intent.refreshTokenHash,
            now: now.wall,
            expiry: tokens.defaultToken?.expiry(at: now),
            due: now.wall.addingTimeInterval(RefreshSchedule.quietPeriod)
        )
    }

    private func previous(at now: Moment) -> PreviousRefreshToken? {
        account.tokens.refreshToken.map { token in
            PreviousRefreshToken(
                value: token,
                until: now.wall.addingTimeInterval(Self.previousTokenLife)
            )
        }
    }
}

extension Intent {
    /// Both sendings, when there were two.
    var sendings: LateDuplicate? {
        attempt > 1 ? LateDuplicate(firstSent: first.wall, sentAgain: claimed.wall) : nil
    }
}
