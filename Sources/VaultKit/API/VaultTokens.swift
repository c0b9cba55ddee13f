internal import FoundationEssentials
public import OAuth
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
    /// With a scope or a resource it is a token for just that, kept beside the account's own and
    /// renewed when it is asked for. The refresh token is one per account: such requests wait for one
    /// another.
    ///
    /// - Parameters:
    ///   - account: The account's name.
    ///   - scope: What the token may be used for, a part of what was granted at sign-in (RFC 6749
    ///     §6); all of it unless told. Where the server grants less the call fails with
    ///     `scope_missing`.
    ///   - resource: The URI of the resource server it is for (RFC 8707).
    ///   - minimumLifetime: Seconds that the token has to be valid for. Unless told, 60 or a quarter
    ///     of its whole life, whichever is less.
    ///   - newerThan: A generation that a resource server has rejected. The stored token is passed
    ///     over only if it is of that very generation: one that the account has not reached yet, as
    ///     after an older copy of the vault was restored, was never its own. A token that came within
    ///     the last 5 seconds is handed out again: it is the newest there is, and the resource server
    ///     may not have heard of it yet.
    ///   - deadline: Seconds to wait at most. The refresh itself goes on.
    /// - Returns: The token.
    /// - Throws: ``VaultError``; `CancellationError` when the task is cancelled.
    public func accessToken(
        for account: AccountName,
        scope: Scope? = nil,
        resource: String? = nil,
        minimumLifetime: Double? = nil,
        newerThan: UInt64? = nil,
        deadline: Double = 60
    ) async throws -> AccessToken {
        guard minimumLifetime?.isNaN != true, !deadline.isNaN else {
            throw VaultError(.invalidInput, account: account, facts: [.field: "minimum_lifetime"])
        }
        var lookup = TokenLookup(
            minimumLifetime: minimumLifetime,
            newerThan: newerThan,
            now: clock.now()
        )
        lookup.settlingTime = settlingTime
        lookup.request = AccessTokenRequest(scope: scope, resource: resource)
        if let flaw = lookup.request?.flaw {
            throw VaultError(.invalidInput, account: account, facts: [.field: flaw])
        }
        let until = Flight.moment(deadline, after: lookup.now)
        var step = try firstStep(account, lookup)
        // Once is enough but for a flight that was joined: it may have begun for an older pair, for
        // an account of the same name that is gone, or for another of the account's tokens.
        var flights = 0
        while flights < 3, case .waits(let flight, let reading) = step {
            let end = try await flight.end(until: until)
            if flight.request == lookup.request { flights += 1 }
            step = try nextStep(reading, lookup, flight, end)
        }
        return try lastStep(step, lookup)
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
            let until = Flight.moment(deadline, after: clock.now())
            var failure = VaultError(.busy, account: account)
            var flights = 0
            while flights < 3 {
                let flight = try refresher.flight(
                    for: store.account(named: account),
                    isForced: true
                )
                guard let end = try await flight.end(until: until) else {
                    throw Self.tooLate(account)
                }
                // It was for another token, and says nothing about this one.
                guard flight.request == nil else { continue }
                flights += 1
                switch end.outcome {
                case .refreshed(let new), .adopted(let new):
                    let now = clock.now()
                    let lookup = TokenLookup(minimumLifetime: 0, newerThan: nil, now: now)
                    let token = try lookup.fresh(new)
                    cache.remember(token, new, lookup)
                    return token
                case .notSaved: throw VaultError(.notSaved, account: account)
                case .failed(let error, _): failure = error
                }
                // One that was joined and sent nothing was held up by what this call passes over.
                if flight.isForced || flight.hasSent { break }
            }
            throw failure
        }
    }

    /// How many wait for the refresh of an account that is running.
    package func waiterCount(for account: AccountName) -> Int {
        refresher.standing(of: account).flight?.waiterCount ?? 0
    }

    // MARK: - Step by step

    // Each step is synchronous and never inlined: what it needs is on the stack, and nothing of it is
    // kept by a caller who waits. A crowd costs what `Step` holds.

    /// How far a caller has come.
    private enum Step {
        case served(AccessToken)
        case waits(Flight, AccountReading)
    }

    /// What is in memory decides while it is fresh, or a refresh runs already; else the file.
    @inline(never)
    private func firstStep(_ name: AccountName, _ request: TokenLookup) throws -> Step {
        let hit = cache.token(of: name, request)
        if let hit { return .served(hit) }
        guard !refresher.isClosed else { throw VaultError(.closed, account: name) }
        return try translatingNow(name) {
            let (flight, unsaved) = refresher.standing(of: name)
            if flight != nil,
                let reading = cache.outdated(name, newerThan: request.newerThan, now: request.now)
            {
                return try step(reading, request, unsaved, joining: flight)
            }
            let reading = AccountReading(try store.account(named: name), read: request.now)
            // Judged by a moment after it was read: another process may have stored a token since
            // the one before, and a token from the future is good for nothing.
            return try step(reading, request.later(clock.now()), unsaved)
        }
    }

    private func step(
        _ reading: AccountReading,
        _ request: TokenLookup,
        _ unsaved: TokenRefresher.UnsavedPair?,
        joining running: Flight? = nil
    ) throws -> Step {
        let account = reading.account
        switch request.decide(account, unsaved: unsaved) {
        case .serve(let token):
            if token.warning == nil { cache.remember(token, account, request) }
            return .served(token)
        case .fail(let error): throw error
        case .refresh:
            if let running { return .waits(running, reading) }
            do throws(VaultError) {
                let flight = try refresher.flight(for: account, request: request.request)
                cache.remember(outdated: reading)
                return .waits(flight, reading)
            } catch  where error.code != .closed {
                return .served(try request.fallback(account, after: error))
            }
        }
    }

    /// What the end of a flight, or of the caller's patience, comes to.
    @inline(never)
    private func nextStep(
        _ reading: AccountReading,
        _ request: TokenLookup,
        _ flight: Flight,
        _ end: FlightEnd?
    ) throws -> Step {
        let account = reading.account
        let isOwn = flight.request == request.request
        if isOwn, request.minimumLifetime == nil, let token = end?.token(after: account) {
            return .served(token)
        }
        let lookup = request.later(clock.now())
        return try translatingNow(account.name) {
            switch end?.outcome {
            case nil:
                return .served(try lookup.fallback(account, after: Self.tooLate(account.name)))
            case .refreshed(let new)
            where isOwn && new.id == account.id && new.generation > account.generation:
                return .served(try lookup.fresh(new))
            case .refreshed(let new), .adopted(let new):
                guard new.id == account.id, !isOwn || new.generation > account.generation else {
                    break
                }
                return try step(AccountReading(new, read: lookup.now), lookup, nil)
            case .notSaved(let old, let new) where old.id == account.id:
                return .served(try lookup.unsaved(old: old, new: new))
            case .failed(let error, let now) where isOwn && error.code != .noSuchAccount:
                return .served(try lookup.fallback(now ?? account, after: error))
            case .failed(let error, let now?)
            where error.code != .noSuchAccount && now.id == account.id:
                return try step(AccountReading(now, read: lookup.now), lookup, nil)
            case .notSaved, .failed: break
            }
            // Of another token, of an older pair, or of another account that had the name.
            let now = try store.account(named: account.name)
            return try step(AccountReading(now, read: lookup.now), lookup.later(clock.now()), nil)
        }
    }

    @inline(never)
    private func lastStep(_ step: Step, _ request: TokenLookup) throws -> AccessToken {
        switch step {
        case .served(let token): return token
        case .waits(_, let reading):
            let busy = VaultError(.busy, account: reading.account.name)
            return try request.later(clock.now()).fallback(reading.account, after: busy)
        }
    }

    private static func tooLate(_ account: AccountName) -> VaultError {
        VaultError(.busy, account: account, facts: [.reason: "deadline"])
    }
}
