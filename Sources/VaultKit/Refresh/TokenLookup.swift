internal import FoundationEssentials
package import Platform
package import VaultStore

/// Decides what a caller who asks for a token gets: pure, from what is stored and the time.
package struct TokenLookup: Sendable {
    /// Seconds the token has to live; nil for the default promise.
    package var minimumLifetime: Double?
    /// A generation that was rejected.
    package var newerThan: UInt64?
    package var now: Moment

    package init(minimumLifetime: Double?, newerThan: UInt64?, now: Moment) {
        self.minimumLifetime = minimumLifetime
        self.newerThan = newerThan
        self.now = now
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
        if let unsaved, unsaved.old.generation == account.generation {
            return attempt { () throws(VaultError) in
                try self.unsaved(old: account, new: unsaved.new)
            }
        }
        if let token = good(account) { return .serve(make(token, account, warning(account))) }
        if let needed = account.tokens.signInNeeded {
            let error = VaultError(
                .signInNeeded,
                account: account.name,
                facts: [.reason: needed.reason.rawValue]
            )
            return attempt { () throws(VaultError) in try fallback(account, after: error) }
        }
        guard account.tokens.refreshToken != nil else {
            let error = VaultError(
                .signInNeeded,
                account: account.name,
                facts: [.reason: SignInNeeded.Reason.noRefreshToken.rawValue]
            )
            return attempt { () throws(VaultError) in try fallback(account, after: error) }
        }
        if let failures = account.health.failures, let due = account.health.due {
            let wait = due.timeIntervalSince(now.wall)
            if wait > 0 {
                let error = VaultError(
                    VaultError.Code(rawValue: failures.last),
                    account: account.name,
                    facts: [.retryAfter: "\(Int(wait.rounded(.up)))"]
                )
                return attempt { () throws(VaultError) in try fallback(account, after: error) }
            }
        }
        return .refresh(after: account.generation)
    }

    /// The token of an account that was refreshed for this caller.
    func fresh(_ account: StoredAccount) throws(VaultError) -> AccessToken {
        guard let token = account.tokens.defaultToken else {
            throw VaultError(.outcomeUnknown, account: account.name)
        }
        // A fresh token that lives shorter than was asked for will not get longer by asking again.
        if let minimumLifetime, let left = token.secondsLeft(at: now), left < minimumLifetime {
            throw VaultError(
                .lifetimeTooShort,
                account: account.name,
                facts: [.found: "\(Int(left))", .wanted: "\(Int(minimumLifetime))"]
            )
        }
        return make(token, account, nil)
    }

    /// The token that is handed out although refreshing failed, or the failure.
    func fallback(
        _ account: StoredAccount?,
        after error: VaultError
    ) throws(VaultError) -> AccessToken {
        guard let account, let token = account.tokens.defaultToken, minimumLifetime == nil,
            newerThan.map({ account.generation > $0 }) ?? true,
            RefreshSchedule.isUsable(token, at: now)
        else { throw error }
        return make(
            token,
            account,
            error.code == .signInNeeded ? .signInNeeded : .refreshFailing
        )
    }

    /// The stored token while it lives, after that the one that could not be stored yet.
    func unsaved(old: StoredAccount, new: StoredAccount) throws(VaultError) -> AccessToken {
        for account in [old, new] {
            if let token = good(account) { return make(token, account, .notSaved) }
        }
        throw VaultError(.notSaved, account: old.name)
    }

    private func good(_ account: StoredAccount) -> StoredAccessToken? {
        guard let token = account.tokens.defaultToken,
            newerThan.map({ account.generation > $0 }) ?? true,
            RefreshSchedule.isGood(token, minimumLifetime: minimumLifetime, at: now)
        else { return nil }
        return token
    }

    private func warning(_ account: StoredAccount) -> AccessToken.Warning? {
        account.tokens.signInNeeded == nil ? nil : .signInNeeded
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
