internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultCrypto
internal import VaultStore

/// Single flight: at most one refresh of an account in this process, whoever asks.
final class TokenRefresher: Sendable {
    fileprivate struct State {
        var flights: [AccountName: Flight] = [:]
        /// The same by account: one that was renamed meanwhile has no second flight beside its first.
        var flightsByID: [AccountID: Flight] = [:]
        /// Pairs that came back and are not stored yet.
        var unsaved: [AccountName: UnsavedPair] = [:]
        var refused = RefusedRequests()
        var isClosed = false
    }

    /// What there is in the place of a flight.
    enum Seat {
        case taken(Flight)
        /// A refresh runs, which is to be waited for.
        case flying(Flight)
    }

    /// A pair in memory beside the account as it is stored.
    struct UnsavedPair: Sendable {
        let old: StoredAccount
        let new: StoredAccount
    }

    let environment: RefreshEnvironment
    private let events: EventHub
    private let cache: TokenCache
    private let states: StateWatch
    private let scheduler: Wakeup
    private let state = Locked(State())
    /// Failures that are not written down yet.
    private let unwritten = UnwrittenEnds()

    /// `scheduler` is woken by every end of a flight: what is due next may have changed.
    init(
        environment: RefreshEnvironment,
        events: EventHub,
        cache: TokenCache = TokenCache(),
        states: StateWatch,
        scheduler: Wakeup = Wakeup()
    ) {
        self.environment = environment
        self.events = events
        self.cache = cache
        self.states = states
        self.scheduler = scheduler
    }

    /// The pair of an account that is only in memory.
    func unsavedPair(of account: AccountName) -> UnsavedPair? {
        state.withLock { $0.unsaved[account] }
    }

    /// What there is of an account beside the file: the refresh that is running, and the pair that
    /// is only in memory.
    func standing(of account: AccountName) -> (flight: Flight?, unsaved: UnsavedPair?) {
        state.withLock { ($0.flights[account], $0.unsaved[account]) }
    }

    /// Whether the store refuses writes: then nothing new is sent for any account.
    var storeRefusesWrites: Bool {
        state.withLock { !$0.unsaved.isEmpty }
    }

    /// The accounts with a pair that is only in memory, by name.
    var unsavedAccounts: [AccountName] {
        state.withLock { $0.unsaved.keys.sorted() }
    }

    /// Whether nothing new is started any more.
    var isClosed: Bool {
        state.withLock { $0.isClosed }
    }

    /// Whether a refresh of this account is running here.
    func isRefreshing(_ account: AccountName) -> Bool {
        state.withLock { $0.flights[account] != nil }
    }

    /// Accounts with a refresh running.
    var flightCount: Int {
        state.withLock { $0.flights.count }
    }

    /// Joins the refresh that is running for this account, or starts one.
    ///
    /// `stale` is the account with the pair that is no longer good enough. Look-up and start are one
    /// step: nobody comes between them. The refresh token is one, whatever is asked for: a flight for
    /// another `request` is joined too, and its end waited for.
    func flight(
        for stale: StoredAccount,
        request: AccessTokenRequest? = nil,
        urgency: RefreshPlanner.Urgency = .routine
    ) throws(VaultError) -> Flight {
        let account = stale.name
        let now = environment.clock.now()
        let (flight, isNew) = try state.withLock { state throws(VaultError) in
            if let running = state.flights[account] ?? state.flightsByID[stale.id] {
                return (running, false)
            }
            guard !state.isClosed else { throw VaultError(.closed) }
            if let unsaved = state.unsaved[account] ?? state.unsaved.values.first {
                throw VaultError(.notSaved, account: unsaved.old.name)
            }
            if let error = state.refused.error(for: request, of: stale, at: now) { throw error }
            let flight = Flight(request: request, urgency: urgency, clock: environment.clock)
            state.flights[account] = flight
            state.flightsByID[stale.id] = flight
            return (flight, true)
        }
        if isNew {
            var environment = environment
            environment.transport = NotingTransport(
                transport: environment.transport,
                flight: flight
            )
            let operation = RefreshOperation(
                environment: environment,
                stale: stale,
                unwritten: unwritten,
                request: request,
                urgency: urgency,
                isClosed: { self.isClosed }
            )
            // Nobody awaits this task: it outlives its callers, and `drain` sees it through
            // `flights`.
            Task { await self.fly(flight, operation) }
        }
        return flight
    }

    /// Takes the place of a flight of this account, where none runs; `vacate` gives it back.
    func occupy(_ account: StoredAccount) throws(VaultError) -> Seat {
        let seat = Flight(urgency: .forced, clock: environment.clock)
        return try state.withLock { state throws(VaultError) in
            guard !state.isClosed else { throw VaultError(.closed) }
            if let unsaved = state.unsaved[account.name] {
                throw VaultError(.notSaved, account: unsaved.old.name)
            }
            if let flight = state.flights[account.name] ?? state.flightsByID[account.id] {
                return .flying(flight)
            }
            state.flights[account.name] = seat
            state.flightsByID[account.id] = seat
            return .taken(seat)
        }
    }

    /// Ends what a seat was taken for; those who waited get the outcome.
    func vacate(_ seat: Flight, of account: StoredAccount, _ outcome: RefreshOutcome) {
        state.withLock { $0.remove(seat, of: account) }
        cache.forgetOutdated(account.name)
        seat.finish(outcome)
    }

    private func fly(_ flight: Flight, _ operation: RefreshOperation) async {
        let account = operation.stale.name
        let result = await operation.run()
        let outcome = result.outcome
        let now = environment.clock.now()
        state.withLock { state in
            if case .notSaved(let old, let new) = outcome {
                state.unsaved[account] = UnsavedPair(old: old, new: new)
            }
            state.remove(flight, of: operation.stale)
            if flight.hasSent {
                state.refused.note(outcome, of: operation.request, for: operation.stale, at: now)
            }
        }
        cache.forgetOutdated(account)
        if case .refreshed(let stored) = outcome, await isStill(account, stored.id) {
            var lookup = TokenLookup(minimumLifetime: nil, newerThan: nil, now: now)
            lookup.request = operation.request
            if let token = try? lookup.fresh(stored) { cache.remember(token, stored, lookup) }
        }
        if case .known = result {} else { publish(outcome, of: account) }
        flight.finish(outcome)
        // The next try of a failure may be due soon, and nobody else knows of it.
        if case .failed = outcome { scheduler.wake() }
        if case .unsaved(_, let keeper) = result {
            // Nobody awaits this one either: it ends when the pair is stored, and `drain` sees it
            // through `unsaved`.
            Task { await self.keep(keeper, account) }
        }
    }

    /// Whether an account has the name that it had before its refresh: it may be another's by now.
    private func isStill(_ name: AccountName, _ id: AccountID) async -> Bool {
        (try? await environment.store.account(id))?.name == name
    }

    private func keep(_ keeper: PairKeeper, _ account: AccountName) async {
        let outcome = await keeper.keepSaving()
        state.withLock { $0.unsaved[account] = nil }
        publish(outcome, of: account)
    }

    private func publish(_ outcome: RefreshOutcome, of account: AccountName) {
        switch outcome {
        case .refreshed(let stored):
            let expiry = stored.tokens.defaultToken?.expiry(at: environment.clock.now())
            events.publish(
                .refreshed(generation: stored.generation, expiry: expiry),
                of: account
            )
        case .adopted(let stored):
            events.publish(.adopted(generation: stored.generation), of: account)
        case .notSaved:
            events.publish(.notSaved, of: account)
        case .failed(let error, _) where Self.isTold(error.code): break
        case .failed(let error, _):
            events.publish(.refreshFailed(error.code), of: account)
        }
        states.tell()
    }

    /// Whether a failure is told of otherwise: as a change of state, when the account was removed (by
    /// now its name may belong to another), or not at all, as nothing was tried.
    private static func isTold(_ code: VaultError.Code) -> Bool {
        [.signInNeeded, .noSuchAccount, .closed].contains(code)
    }

    /// Starts nothing new and waits, up to `limit` seconds, until nothing is in flight or unsaved.
    func drain(limit: Double) async {
        state.withLock { $0.isClosed = true }
        let start = environment.clock.now()
        while true {
            let left = limit - environment.clock.now().seconds(since: start)
            guard left > 0 else { return }
            if let flight = state.withLock({ $0.flights.values.first }) {
                _ = try? await flight.outcome(deadline: left)
            } else if storeRefusesWrites {
                try? await environment.clock.sleep(seconds: 0.05)
            } else {
                return
            }
        }
    }
}

extension TokenRefresher.State {
    fileprivate mutating func remove(_ flight: Flight, of account: StoredAccount) {
        if flights[account.name] === flight { flights[account.name] = nil }
        if flightsByID[account.id] === flight { flightsByID[account.id] = nil }
    }
}

/// Tells a flight when something is sent for it.
private struct NotingTransport: HTTPTransport {
    let transport: any HTTPTransport
    let flight: Flight

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        flight.noteSending()
        return try await transport.send(request)
    }

    func canReach(_ url: EndpointURL, through network: NetworkOptions) async -> Bool {
        await transport.canReach(url, through: network)
    }
}
