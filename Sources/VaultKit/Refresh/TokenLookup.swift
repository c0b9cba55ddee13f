internal import FoundationEssentials
internal import OAuth
package import Platform
package import VaultStore

/// Decides what a caller who asks for a token gets: pure, from what is stored and the time.
package struct TokenLookup: Sendable {
    /// Seconds that a resource server may take to learn of a token: until then its rejection says
    /// nothing, and another token would fare no better.
    package static let settlingTime = 5.0

    /// Seconds the token has to live; nil for the default promise.
    package var minimumLifetime: Double?
    /// A generation that was rejected.
    package var newerThan: UInt64?
    package var now: Moment
    package var settlingTime = TokenLookup.settlingTime
    /// The access token to look for; nil for the account's default.
    package var request: AccessTokenRequest?

    package init(minimumLifetime: Double?, newerThan: UInt64?, now: Moment) {
        self.minimumLifetime = minimumLifetime
        self.newerThan = newerThan
        self.now = now
    }

    /// The same question, asked at a later moment.
    func later(_ now: Moment) -> TokenLookup {
        var later = self
        later.now = now
        return later
    }

    /// A token that is good for what is asked and has nothing to be said with it: to be handed out
    /// without reading the rest of its account.
    func isServed(by found: TokenAtHand) -> Bool {
        found.token.grantsAll && newerThan != found.token.generation ?? found.generation
            && RefreshSchedule.isGood(found.token, minimumLifetime: minimumLifetime, at: now)
    }

    /// What to do for the caller.
    package enum Decision: Sendable {
        case serve(AccessToken)
        /// Refresh first; the generation is no longer good enough.
        case refresh(after: UInt64)
        case fail(VaultError)
    }

    package func decide(_ account: StoredAccount) -> Decision {
        decide(account, unsaved: nil)
    }

    func decide(_ account: StoredAccount, unsaved: TokenRefresher.UnsavedPair?) -> Decision {
        if let unsaved, unsaved.old.id == account.id, unsaved.old.generation == account.generation {
            return attempt { () throws(VaultError) in
                try self.unsaved(old: account, new: unsaved.new)
            }
        }
        if let token = good(account) {
            if let error = missingScope(token, of: account) { return .fail(error) }
            return .serve(make(token, account, warning(account)))
        }
        // A flight writes down that the account came to its end, once.
        if let error = account.obstacle(at: now), !account.hasEndedUnnoticed(at: now) {
            return attempt { () throws(VaultError) in try fallback(account, after: error) }
        }
        // The first pair may have been added with only part of its life left; a later one is as long
        // as they come.
        if account.generation > 1, let token = unrejected(account), isNew(token),
            let error = tooShort(token, of: account)
        {
            return .fail(error)
        }
        return .refresh(after: account.generation)
    }

    /// The token of an account that was refreshed for this caller.
    func fresh(_ account: StoredAccount) throws(VaultError) -> AccessToken {
        guard let token = account.tokens.accessToken(for: request) else {
            throw VaultError(.outcomeUnknown, account: account.name)
        }
        if let error = missingScope(token, of: account) { throw error }
        if let error = tooShort(token, of: account) { throw error }
        return make(token, account, nil)
    }

    /// Set when a fresh token lives shorter than was asked for, and so would the next.
    private func tooShort(_ token: StoredAccessToken, of account: StoredAccount) -> VaultError? {
        guard let minimumLifetime, let left = token.secondsLeft(at: now), left < minimumLifetime
        else { return nil }
        return VaultError(
            .lifetimeTooShort,
            account: account.name,
            facts: [.found: Self.whole(left), .wanted: Self.whole(minimumLifetime)]
        )
    }

    /// Set when the server granted less than was asked for: asking again would bring the same.
    private func missingScope(_ token: StoredAccessToken, of account: StoredAccount) -> VaultError?
    {
        guard !token.grantsAll, let wanted = token.requested?.scope,
            let granted = token.grantedScope
        else { return nil }
        return VaultError(
            .scopeMissing,
            account: account.name,
            facts: [
                .host: account.settings.refreshEndpoint.host,
                .found: granted.text,
                .wanted: wanted.names.filter { !granted.contains($0) }.joined(separator: " "),
            ]
        )
    }

    /// Whether a token came only just now, with less than its caller wants even then.
    private func isNew(_ token: StoredAccessToken) -> Bool {
        guard let minimumLifetime, let lifetime = token.lifetime, lifetime < minimumLifetime
        else { return false }
        return (0..<RefreshSchedule.newness).contains(now.seconds(since: token.obtained))
    }

    /// Whether a token is so new that a resource server may not know it yet.
    private func isSettling(_ token: StoredAccessToken, of account: StoredAccount) -> Bool {
        let time = account.settings.provider?.settlingTime ?? settlingTime
        return now.seconds(since: token.obtained) >= 0 && now.seconds(since: token.obtained) < time
    }

    private static func whole(_ seconds: Double) -> String {
        Int(exactly: seconds.rounded(.down)).map { "\($0)" } ?? "\(seconds)"
    }

    /// The token that is handed out although refreshing failed, or the failure.
    func fallback(
        _ account: StoredAccount?,
        after error: VaultError
    ) throws(VaultError) -> AccessToken {
        guard let account, let token = usable(account), missingScope(token, of: account) == nil
        else { throw error }
        return make(token, account, warning(account) ?? Self.warning(for: error))
    }

    /// The stored token while it lives, after that the one that could not be stored yet.
    func unsaved(old: StoredAccount, new: StoredAccount) throws(VaultError) -> AccessToken {
        if let token = good(old) ?? usable(old) { return make(token, old, .notSaved) }
        if let token = good(new) { return make(token, new, .notSaved) }
        throw VaultError(.notSaved, account: old.name)
    }

    private func good(_ account: StoredAccount) -> StoredAccessToken? {
        guard let token = unrejected(account),
            RefreshSchedule.isGood(
                token,
                minimumLifetime: minimumLifetime,
                provider: account.settings.provider,
                at: now
            )
        else { return nil }
        return token
    }

    /// What a caller without a minimum of its own may still have when nothing can be renewed.
    private func usable(_ account: StoredAccount) -> StoredAccessToken? {
        guard minimumLifetime == nil, let token = unrejected(account),
            RefreshSchedule.isUsable(token, at: now)
        else { return nil }
        return token
    }

    /// The stored token, unless it is the one that was rejected.
    ///
    /// A rejected generation that is higher than the account's is none of this line, as after an older
    /// copy was restored: this token was never rejected.
    private func unrejected(_ account: StoredAccount) -> StoredAccessToken? {
        guard let token = account.tokens.accessToken(for: request) else { return nil }
        let isRejected = newerThan == token.generation ?? account.generation
        return isRejected && !isSettling(token, of: account) ? nil : token
    }

    /// What a person has to know although the token is good.
    private func warning(_ account: StoredAccount) -> AccessToken.Warning? {
        if account.tokens.signInNeeded != nil { return .signInNeeded }
        return switch account.health.state {
        case .verifyBeforeUse: .verifyBeforeUse
        case .paused: .paused
        default: nil
        }
    }

    private static func warning(for error: VaultError) -> AccessToken.Warning {
        error.code == .signInNeeded ? .signInNeeded : .refreshFailing
    }

    private func make(
        _ token: StoredAccessToken,
        _ account: StoredAccount,
        _ warning: AccessToken.Warning?
    ) -> AccessToken {
        AccessToken(token, of: account, now: now, warning: warning)
    }

    private func attempt(_ body: () throws(VaultError) -> AccessToken) -> Decision {
        do {
            return .serve(try body())
        } catch {
            return .fail(error)
        }
    }
}
