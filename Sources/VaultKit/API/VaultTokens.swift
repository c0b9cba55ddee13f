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
    ///     of its whole life, whichever is less; a negative number is zero.
    ///   - newerThan: A generation that a resource server has rejected. The stored token is passed
    ///     over only if it is of that very generation: one that the account has not reached yet, as
    ///     after an older copy of the vault was restored, was never its own. A token that came within
    ///     the last 5 seconds is handed out again: it is the newest there is, and the resource server
    ///     may not have heard of it yet.
    ///   - deadline: Seconds to wait at most. The refresh itself goes on. Zero or a negative number
    ///     waits for nothing, and more than a day, infinity too, is a day.
    /// - Returns: The token.
    /// - Throws: ``VaultError``: `invalid_input` for times that are not numbers; `CancellationError`
    ///   when the task is cancelled.
    public func accessToken(
        for account: AccountName,
        scope: Scope? = nil,
        resource: String? = nil,
        minimumLifetime: Double? = nil,
        newerThan: UInt64? = nil,
        deadline: Double = 60
    ) async throws -> AccessToken {
        guard minimumLifetime?.isNaN != true else {
            throw VaultError(.invalidInput, account: account, facts: [.field: "minimum_lifetime"])
        }
        guard !deadline.isNaN else {
            throw VaultError(.invalidInput, account: account, facts: [.field: "deadline"])
        }
        let request = AccessTokenRequest(scope: scope, resource: resource)
        let lookup = lookup(request, minimumLifetime, newerThan)
        // Most calls end here, and ask for no memory.
        if let hit = cache.token(of: account, lookup) { return hit }
        if let token = try tokenAtHand(account, lookup) { return token }
        var step = try firstStep(account, lookup, deadline: deadline)
        while true {
            switch step {
            case .served(let token): return token
            case .waits(let call):
                let end = try await call.flight.end(until: call.until)
                step = try nextStep(call, end)
            }
        }
    }

    /// Refreshes an account's token now, whatever is left of the old one's life.
    ///
    /// - Parameters:
    ///   - account: The account's name.
    ///   - isForced: Whether it is sent although the grant is known to be refused, or its client is.
    ///     What the server asked to wait is waited in any case.
    ///   - deadline: Seconds to wait at most. The refresh itself goes on. Zero or a negative number
    ///     waits for nothing, and more than a day, infinity too, is a day.
    /// - Returns: The new token.
    /// - Throws: ``VaultError``: `invalid_input` for a deadline that is not a number;
    ///   `CancellationError` when the task is cancelled.
    @discardableResult
    public func refresh(
        _ account: AccountName,
        isForced: Bool = false,
        deadline: Double = 60
    ) async throws -> AccessToken {
        guard !deadline.isNaN else {
            throw VaultError(.invalidInput, account: account, facts: [.field: "deadline"])
        }
        return try await translating(account) {
            let urgency: RefreshPlanner.Urgency = isForced ? .forced : .asked
            let until = Flight.moment(deadline, after: clock.now())
            var failure = VaultError(.busy, account: account)
            var flights = 0
            while flights < 3 {
                let flight = try refresher.flight(
                    for: store.account(named: account),
                    urgency: urgency
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
                if flight.urgency >= urgency || flight.hasSent { break }
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
    // kept by a caller who waits. A crowd costs what its `WaitingCall`s hold.

    /// How far a caller has come.
    private enum Step {
        indirect case served(AccessToken)
        case waits(WaitingCall)
    }

    /// A caller who waits for a flight.
    private final class WaitingCall: Sendable {
        let lookup: TokenLookup
        let until: Moment
        let reading: AccountReading
        let flight: Flight
        /// Flights for the token it wants that it has waited for, this one included.
        let flightCount: Int

        init(
            _ lookup: TokenLookup,
            _ until: Moment,
            _ reading: AccountReading,
            _ flight: Flight,
            _ count: Int
        ) {
            self.lookup = lookup
            self.until = until
            self.reading = reading
            self.flight = flight
            flightCount = count + (flight.request == lookup.request ? 1 : 0)
        }
    }

    /// What is in the file, while that is good: most of the other calls end here, and look at no more
    /// of the account than its token.
    @inline(never)
    private func tokenAtHand(_ name: AccountName, _ lookup: TokenLookup) throws -> AccessToken? {
        guard !refresher.isClosed else { throw VaultError(.closed, account: name) }
        if let flaw = lookup.request?.flaw {
            throw VaultError(.invalidInput, account: name, facts: [.field: flaw])
        }
        let (flight, unsaved) = refresher.standing(of: name)
        guard flight == nil, unsaved == nil else { return nil }
        let found = try translatingNow(name) {
            try store.tokenAtHand(of: name, for: lookup.request)
        }
        let later = lookup.later(clock.now())
        guard let found, later.isServed(by: found) else { return nil }
        let token = AccessToken(found, of: name, now: later.now)
        cache.remember(token, found.token, later)
        return token
    }

    private func lookup(
        _ request: AccessTokenRequest?,
        _ minimumLifetime: Double?,
        _ newerThan: UInt64?
    ) -> TokenLookup {
        var lookup = TokenLookup(
            minimumLifetime: minimumLifetime.map { max($0, 0) },
            newerThan: newerThan,
            now: clock.now()
        )
        lookup.request = request
        lookup.settlingTime = settlingTime
        return lookup
    }

    /// What was read for others decides while a refresh runs; else the file.
    @inline(never)
    private func firstStep(
        _ name: AccountName,
        _ lookup: TokenLookup,
        deadline: Double
    ) throws -> Step {
        let until = Flight.moment(deadline, after: lookup.now)
        return try translatingNow(name) {
            let (flight, unsaved) = refresher.standing(of: name)
            if let flight,
                let reading = cache.outdated(name, newerThan: lookup.newerThan, now: lookup.now)
            {
                return try step(
                    reading.account,
                    read: reading.read,
                    lookup,
                    until,
                    unsaved,
                    joining: (flight, reading)
                )
            }
            let account = try store.account(named: name)
            let later = lookup.later(clock.now())
            return try step(account, read: lookup.now, later, until, unsaved)
        }
    }

    /// What is read is judged by a moment after that: another process may have stored a token since the
    /// one before, and a token from the future is good for nothing.
    private func step(
        _ account: StoredAccount,
        read: Moment,
        _ lookup: TokenLookup,
        _ until: Moment,
        _ unsaved: TokenRefresher.UnsavedPair? = nil,
        joining running: (flight: Flight, reading: AccountReading)? = nil,
        after flightCount: Int = 0
    ) throws -> Step {
        switch lookup.decide(account, unsaved: unsaved) {
        case .serve(let token):
            if token.warning == nil { cache.remember(token, account, lookup) }
            return .served(token)
        case .fail(let error): throw error
        case .refresh:
            // Once is enough but for a flight that was joined: it may have begun for an older pair,
            // or for an account of the same name that is gone.
            guard flightCount < 3 else {
                let busy = VaultError(.busy, account: account.name)
                return .served(try lookup.fallback(account, after: busy))
            }
            if let (flight, reading) = running {
                return .waits(WaitingCall(lookup, until, reading, flight, flightCount))
            }
            do throws(VaultError) {
                let flight = try refresher.flight(for: account, request: lookup.request)
                let reading = AccountReading(account, read: read)
                cache.remember(outdated: reading)
                return .waits(WaitingCall(lookup, until, reading, flight, flightCount))
            } catch  where error.code != .closed {
                return .served(try lookup.fallback(account, after: error))
            }
        }
    }

    /// What the end of a flight, or of the caller's patience, comes to.
    @inline(never)
    private func nextStep(_ call: WaitingCall, _ end: FlightEnd?) throws -> Step {
        let account = call.reading.account
        let isOwn = call.flight.request == call.lookup.request
        if isOwn, call.lookup.minimumLifetime == nil, let token = end?.token(after: account) {
            return .served(token)
        }
        let lookup = call.lookup.later(clock.now())
        func goOn(_ now: StoredAccount) throws -> Step {
            let later = lookup.later(clock.now())
            return try step(now, read: lookup.now, later, call.until, after: call.flightCount)
        }
        return try translatingNow(account.name) {
            switch end?.outcome {
            case nil:
                return .served(try lookup.fallback(account, after: Self.tooLate(account.name)))
            case .refreshed(let new)
            where isOwn && new.id == account.id && new.generation > account.generation:
                return .served(try lookup.fresh(new))
            case .refreshed(let new), .adopted(let new):
                let isNews = !isOwn || new.generation > account.generation
                if new.id == account.id, isNews { return try goOn(new) }
            case .notSaved(let old, let new) where old.id == account.id:
                return .served(try lookup.unsaved(old: old, new: new))
            case .failed(let error, let now?) where isOwn && call.flight.leftItToOthers(error):
                return try goOn(now)
            case .failed(let error, _) where error.facts[.reason] == "sign_out": break
            case .failed(let error, let now) where isOwn && error.code != .noSuchAccount:
                return .served(try lookup.fallback(now ?? account, after: error))
            case .failed(_, let now?) where !isOwn && now.id == account.id:
                return try goOn(now)
            case .notSaved, .failed: break
            }
            // Of an older pair, or of another account that had the name.
            return try goOn(store.account(named: account.name))
        }
    }

    private static func tooLate(_ account: AccountName) -> VaultError {
        VaultError(.busy, account: account, facts: [.reason: "deadline"])
    }
}
