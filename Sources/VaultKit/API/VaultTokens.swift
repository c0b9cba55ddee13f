internal import FoundationEssentials
internal import Platform
public import VaultStore

extension Vault {
    /// An access token that is valid now.
    ///
    /// A token in memory or in the file is handed out at once while it is good enough; otherwise it
    /// is refreshed first. However many ask, one refresh is sent. When refreshing fails for the
    /// moment, a call without `minimumLifetime` still gets a token with at least 5 seconds left,
    /// with a ``AccessToken/Warning``.
    ///
    /// - Parameters:
    ///   - account: The account's name.
    ///   - minimumLifetime: Seconds that the token has to be valid for. Unless told, 60 or a quarter
    ///     of its whole life, whichever is less.
    ///   - newerThan: A generation that a resource server has rejected.
    ///   - deadline: Seconds to wait at most. The refresh itself goes on.
    /// - Returns: The token.
    /// - Throws: ``VaultError``; `CancellationError` when the task is cancelled.
    public func accessToken(
        for account: AccountName,
        minimumLifetime: Double? = nil,
        newerThan: UInt64? = nil,
        deadline: Double = 60
    ) async throws -> AccessToken {
        let now = clock.now()
        if let hit = cache.token(
            of: account,
            minimumLifetime: minimumLifetime,
            newerThan: newerThan,
            now: now
        ) {
            return hit
        }
        return try await translating(account) {
            let stored = try store.account(named: account)
            let request = TokenLookup(
                minimumLifetime: minimumLifetime,
                newerThan: newerThan,
                now: now
            )
            switch request.decide(stored, unsaved: refresher.unsavedPair(of: account)) {
            case .serve(let token):
                if token.warning == nil { cache.remember(token, stored, now: now) }
                return token
            case .fail(let error): throw error
            case .refresh(let generation):
                return try await refreshed(
                    account,
                    after: generation,
                    request,
                    deadline: deadline
                )
            }
        }
    }

    /// Refreshes an account's token now, whatever is left of the old one's life.
    ///
    /// - Parameters:
    ///   - account: The account's name.
    ///   - deadline: Seconds to wait at most. The refresh itself goes on.
    /// - Returns: The new token.
    /// - Throws: ``VaultError``; `CancellationError` when the task is cancelled.
    @discardableResult
    public func refresh(_ account: AccountName, deadline: Double = 60) async throws -> AccessToken {
        try await translating(account) {
            let stored = try store.account(named: account)
            let flight = try refresher.flight(
                for: account,
                after: stored.generation,
                isForced: true
            )
            guard let outcome = try await flight.outcome(deadline: deadline, clock: clock) else {
                throw VaultError(.busy, account: account, facts: [.reason: "deadline"])
            }
            schedulerWakeup.wake()
            let lookup = TokenLookup(minimumLifetime: 0, newerThan: nil, now: clock.now())
            return try token(from: outcome, lookup, isForced: true)
        }
    }

    private func refreshed(
        _ account: AccountName,
        after generation: UInt64,
        _ lookup: TokenLookup,
        deadline: Double
    ) async throws -> AccessToken {
        let flight = try refresher.flight(for: account, after: generation)
        guard let outcome = try await flight.outcome(deadline: deadline, clock: clock) else {
            throw VaultError(.busy, account: account, facts: [.reason: "deadline"])
        }
        schedulerWakeup.wake()
        var later = lookup
        later.now = clock.now()
        return try token(from: outcome, later, isForced: false)
    }

    private func token(
        from outcome: RefreshOutcome,
        _ lookup: TokenLookup,
        isForced: Bool
    ) throws -> AccessToken {
        switch outcome {
        case .refreshed(let account), .adopted(let account):
            let token = try lookup.fresh(account)
            cache.remember(token, account, now: lookup.now)
            return token
        case .notSaved(let old, let new):
            if isForced { throw VaultError(.notSaved, account: old.name) }
            return try lookup.unsaved(old: old, new: new)
        case .failed(let error, let account):
            if isForced { throw error }
            return try lookup.fallback(account, after: error)
        }
    }
}
