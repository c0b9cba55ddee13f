internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultCrypto
internal import VaultStore

/// The pair that is installed for an answer.
extension RefreshPlanner {
    /// Seconds for which the refresh token before the new one is kept.
    private static let previousTokenLife: TimeInterval = 86_400
    /// Seconds for which a sending whose answer was lost may still be under way.
    private static let lateness: TimeInterval = 600

    /// The pair of a granted answer.
    func pair(
        _ response: TokenResponse,
        for intent: Intent,
        sent: Moment,
        at now: Moment
    ) -> NewPair {
        let old = account.tokens
        let refreshToken = account.settings.kept(response.refreshToken)
        let isRotated = refreshToken != nil && refreshToken != old.refreshToken
        let token = StoredAccessToken(
            value: response.accessToken,
            tokenType: response.tokenType,
            obtained: sent,
            lifetime: response.lifetime,
            grantedScope: response.scope ?? request?.scope ?? old.defaultToken?.grantedScope,
            requested: request
        )
        let tokens = TokenSet(
            refreshToken: refreshToken ?? old.refreshToken,
            accessTokens: accessTokens(with: token, at: now),
            previous: isRotated
                ? previous(at: now) : old.previous.flatMap { $0.until > now.wall ? $0 : nil },
            lateDuplicate: (isRotated ? intent.sendings : nil) ?? lateDuplicate(at: now),
            timesKept: isRotated || !hasRefreshToken
                ? 0 : min(old.timesKept + 1, TokenSet.keptCounted),
            grant: hasRefreshToken
                ? (old.grant ?? GrantTimes()).refreshed(
                    sent: sent.wall,
                    isRotated: isRotated,
                    told: response.refreshTokenLifetime
                ) : nil
        )
        return NewPair(
            tokens: tokens,
            spentTokenHash: isRotated ? intent.refreshTokenHash : nil,
            now: now.wall,
            expiry: (tokens.defaultToken ?? token).expiry(at: now),
            due: due(
                for: tokens.defaultToken ?? token,
                tokens.grant,
                refreshIn: response.refreshIn
            ),
            grantEnd: tokens.grantEnd(account.settings.provider),
            effect: .granted(isRetry: intent.attempt > 1)
        )
    }

    /// A refresh token that came without an access token: it is stored, the access token stays.
    func pair(_ refreshToken: Secret?, for intent: Intent, at now: Moment) -> NewPair? {
        guard let refreshToken = account.settings.kept(refreshToken),
            refreshToken != account.tokens.refreshToken
        else { return nil }
        var tokens = account.tokens
        tokens.accessTokens = ofThisGeneration(tokens.accessTokens)
        tokens.previous = previous(at: now)
        tokens.refreshToken = refreshToken
        tokens.hold = nil
        tokens.signInNeeded = nil
        tokens.silentRefusals = nil
        tokens.lateDuplicate = intent.sendings ?? lateDuplicate(at: now)
        tokens.timesKept = 0
        tokens.grant = (tokens.grant ?? GrantTimes()).refreshed(
            sent: now.wall,
            isRotated: true,
            told: nil
        )
        return NewPair(
            tokens: tokens,
            spentTokenHash: intent.refreshTokenHash,
            now: now.wall,
            expiry: tokens.defaultToken?.expiry(at: now),
            due: now.wall.addingTimeInterval(RefreshSchedule.quietPeriod),
            grantEnd: tokens.grantEnd(account.settings.provider)
        )
    }

    private var hasRefreshToken: Bool { account.settings.grantKind == .refreshToken }

    /// Access tokens that are kept beside the default one.
    private static let longestSet = 15

    /// The set with a token that just came: no other takes the default's place, what is dead is left
    /// out, and of very many the oldest.
    private func accessTokens(
        with new: StoredAccessToken,
        at now: Moment
    ) -> [StoredAccessToken] {
        let known = ofThisGeneration(account.tokens.accessTokens)
            .filter { $0.requested != new.requested }
        let others = known.filter { token in
            token.requested != nil && token.plannedSecondsLeft(at: now) > 0
        }
        guard new.requested != nil else { return [new] + others.suffix(Self.longestSet) }
        return known.filter { $0.requested == nil } + others.suffix(Self.longestSet - 1) + [new]
    }

    /// Tokens that stay while the account's generation goes on.
    private func ofThisGeneration(_ tokens: [StoredAccessToken]) -> [StoredAccessToken] {
        tokens.map { token in
            var token = token
            token.generation = token.generation ?? account.generation
            return token
        }
    }

    /// When the default token is renewed; that one was asked for beside it changes nothing about that.
    private func due(
        for token: StoredAccessToken,
        _ grant: GrantTimes?,
        refreshIn: Double?
    ) -> Date? {
        let isNew = token.requested == request
        if !isNew, account.health.failures == nil, let due = account.health.due { return due }
        let plan = RenewalPlan(account.settings, grant: grant, account: account.id)
        let delay = plan.delay(
            of: token,
            refreshIn: isNew ? refreshIn : nil,
            generation: token.generation ?? account.generation + 1
        )
        return delay.map { token.obtained.wall.addingTimeInterval($0) }
    }

    /// The two sendings of an earlier refresh token, while the first may still arrive.
    private func lateDuplicate(at now: Moment) -> LateDuplicate? {
        account.tokens.lateDuplicate.flatMap { known in
            now.wall.timeIntervalSince(known.sentAgain) < Self.lateness ? known : nil
        }
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

extension AccountSettings {
    /// A refresh token that came; none where nothing would ever spend it.
    ///
    /// A server should not send one for the client's own credentials (RFC 6749 §4.4.3): what brought
    /// it brings the next access token too.
    func kept(_ refreshToken: Secret?) -> Secret? {
        grantKind == .refreshToken ? refreshToken : nil
    }
}

extension Intent {
    /// Both sendings, when there were two.
    var sendings: LateDuplicate? {
        attempt > 1 ? LateDuplicate(firstSent: first.wall, sentAgain: claimed.wall) : nil
    }
}
