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
        guard minimumLifetime?.isNaN != true, !deadline.isNaN else {
            throw VaultError(.invalidInput, account: account, facts: [.field: "minimum_lifetime"])
        }
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
            case .refresh: return try await refreshed(stored, request, deadline: deadline)
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
            let outcome = try await outcome(for: stored, deadline: deadline, isForced: true)
            let lookup = TokenLookup(minimumLifetime: 0, newerThan: nil, now: clock.now())
            switch outcome {
            case .refreshed(let account), .adopted(let account):
                return try handOut(account, lookup)
            case .notSaved: throw VaultError(.notSaved, account: account)
            case .failed(let error, _): throw error
            }
        }
    }

    /// Refreshes until the pair that was not good enough has a successor that is.
    ///
    /// Once is enough but for a flight that was joined: it may have begun for an older pair, or for
    /// an account of the same name that is gone.
    private func refreshed(
        _ stored: StoredAccount,
        _ request: TokenLookup,
        deadline: Double
    ) async throws -> AccessToken {
        var account = stored
        var lookup = request
        for _ in 1...3 {
            let left = deadline - clock.now().seconds(since: request.now)
            let outcome = try await outcome(for: account, deadline: left, isForced: false)
            lookup.now = clock.now()
            switch outcome {
            case .refreshed(let new)
            where new.id == account.id && new.generation > account.generation:
                return try handOut(new, lookup)
            case .notSaved(let old, let new) where old.id == account.id:
                return try lookup.unsaved(old: old, new: new)
            case .failed(let error, let now) where error.code != .noSuchAccount:
                return try lookup.fallback(now ?? account, after: error)
            case .refreshed, .adopted, .notSaved, .failed:
                account = try store.account(named: account.name)
            }
            switch lookup.decide(account) {
            case .serve(let token): return token
            case .fail(let error): throw error
            case .refresh: continue
            }
        }
        return try lookup.fallback(account, after: VaultError(.busy, account: account.name))
    }

    private func handOut(_ account: StoredAccount, _ lookup: TokenLookup) throws -> AccessToken {
        let token = try lookup.fresh(account)
        cache.remember(token, account, now: lookup.now)
        return token
    }

    /// What a refresh comes to, or why there was none within the deadline.
    private func outcome(
        for account: StoredAccount,
        deadline: Double,
        isForced: Bool
    ) async throws -> RefreshOutcome {
        let flight: Flight
        do throws(VaultError) {
            flight = try refresher.flight(for: account, isForced: isForced)
        } catch  where error.code == .notSaved {
            return .failed(error, account)
        }
        guard let outcome = try await flight.outcome(deadline: deadline, clock: clock) else {
            let facts = [VaultError.Fact.reason: "deadline"]
            return .failed(VaultError(.busy, account: account.name, facts: facts), account)
        }
        schedulerWakeup.wake()
        return outcome
    }
}
