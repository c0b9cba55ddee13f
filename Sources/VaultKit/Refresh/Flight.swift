internal import FoundationEssentials
internal import Platform
internal import VaultStore

/// A refresh that is running, and everybody who waits for it.
///
/// It goes on when a waiter is cancelled or its deadline passes: a pair that came back is stored
/// whether or not anybody still wants it. A crowd may wait: a waiter costs a place in a list, and
/// one timer keeps the deadlines of all.
final class Flight: Sendable {
    private struct Waiter {
        /// Nil while it is on its way here.
        var continuation: CheckedContinuation<FlightEnd?, Never>?
        /// When it has waited long enough, in seconds since the flight began.
        let until: Double
    }

    private struct State {
        var end: FlightEnd?
        var hasSent = false
        var lastWaiter: UInt64 = 0
        var waiters: [UInt64: Waiter] = [:]
        var timer: Task<Void, Never>?
        /// Tells the timer from those it replaced.
        var timerNumber: UInt64 = 0
        /// When the timer wakes, in seconds since the flight began.
        var wake = Double.infinity
    }

    /// Seconds that nobody waits longer than: a clock cannot sleep for any number.
    private static let longestWait = 86_400.0
    /// Seconds by which a deadline may be early: those of a crowd lie close together, and one sweep
    /// serves them.
    private static let slack = 0.005

    /// The access token it is to bring; nil for the account's default.
    let request: AccessTokenRequest?
    /// Whether a person asked for it, which lets it pass over a back-off.
    let urgency: RefreshPlanner.Urgency
    private let clock: any VaultClock
    private let began: Moment
    private let state = Locked(State())

    init(
        request: AccessTokenRequest? = nil,
        urgency: RefreshPlanner.Urgency = .routine,
        clock: any VaultClock
    ) {
        self.request = request
        self.urgency = urgency
        self.clock = clock
        began = clock.now()
    }

    /// Whether a request went out, so that its failure is the server's or the network's word.
    var hasSent: Bool { state.withLock { $0.hasSent } }

    /// Whether it failed because nobody had asked for it: what a limit of requests has left is for those
    /// who ask.
    func leftItToOthers(_ error: VaultError) -> Bool {
        urgency == .planned && !hasSent && error.code == .throttled
    }

    /// How many wait.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Waits for the outcome; nil when `deadline` passes first.
    ///
    /// Throws `CancellationError` when the waiting task is cancelled.
    func outcome(deadline: Double?) async throws -> RefreshOutcome? {
        let until = deadline.map { Self.moment($0, after: clock.now()) }
        return try await end(until: until)?.outcome
    }

    /// When somebody who came at `now` has waited so many seconds.
    static func moment(_ deadline: Double, after now: Moment) -> Moment {
        // What is no number is no time.
        now.advanced(by: deadline > 0 ? min(deadline, longestWait) : 0)
    }

    /// Waits for the end; nil when it has not come by then.
    ///
    /// Throws `CancellationError` when the waiting task is cancelled.
    func end(until: Moment?) async throws -> FlightEnd? {
        let until = until?.seconds(since: began) ?? .infinity
        let id = state.withLock { state in
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = Waiter(until: until)
            return state.lastWaiter
        }
        let end = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                add(continuation, as: id, until)
            }
        } onCancel: {
            dismiss(id)
        }
        if end == nil { try Task.checkCancellation() }
        return end
    }

    /// Notes that a request goes out.
    func noteSending() {
        state.withLock { $0.hasSent = true }
    }

    /// Gives the outcome to all waiters, now and later.
    func finish(_ outcome: RefreshOutcome) {
        let end = FlightEnd(outcome, of: request, at: clock.now())
        let (waiters, timer) = state.withLock { state in
            state.end = end
            defer { state.waiters = [:] }
            return (state.waiters, state.timer)
        }
        timer?.cancel()
        for waiter in waiters.values { waiter.continuation?.resume(returning: end) }
    }

    private func add(
        _ continuation: CheckedContinuation<FlightEnd?, Never>,
        as id: UInt64,
        _ until: Double
    ) {
        let (waits, end, timer) = state.withLock { state -> (Bool, FlightEnd?, UInt64?) in
            // Dismissed, or served, before it came to wait.
            guard state.end == nil, state.waiters[id] != nil else { return (false, state.end, nil) }
            state.waiters[id]?.continuation = continuation
            guard until < state.wake else { return (true, nil, nil) }
            state.wake = until
            state.timerNumber += 1
            return (true, nil, state.timerNumber)
        }
        if !waits { continuation.resume(returning: end) }
        if let timer { startTimer(timer) }
    }

    private func dismiss(_ id: UInt64) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
        waiter?.continuation?.resume(returning: nil)
    }

    // MARK: - Deadlines

    /// Starts the timer that wakes at the earliest deadline, in place of one that would be too late.
    private func startTimer(_ number: UInt64) {
        // Cancelled with the flight's end, and by a timer that has to wake before it.
        let timer = Task { [weak self, clock] in
            while let pause = self?.dismissOverdue(number) {
                guard (try? await clock.sleep(seconds: pause)) != nil else { return }
            }
        }
        let useless = state.withLock { state in
            // Ended meanwhile, or another is there that wakes earlier.
            guard state.end == nil, state.timerNumber == number else { return Optional(timer) }
            defer { state.timer = timer }
            return state.timer
        }
        useless?.cancel()
    }

    /// Lets those go whose deadline is over.
    ///
    /// Seconds until the next one; nil when there is none, or the timer of this number was replaced.
    private func dismissOverdue(_ number: UInt64) -> Double? {
        let now = clock.now().seconds(since: began)
        let (overdue, wake) = state.withLock { state -> ([Waiter], Double) in
            guard state.timerNumber == number else { return ([], .infinity) }
            let overdue = state.waiters.filter { $0.value.until <= now + Self.slack }
            for id in overdue.keys { state.waiters[id] = nil }
            state.wake = state.waiters.values.map(\.until).min() ?? .infinity
            return (Array(overdue.values), state.wake)
        }
        for waiter in overdue { waiter.continuation?.resume(returning: nil) }
        return wake < .infinity ? wake - now : nil
    }
}

/// How a flight ended, for any number of waiters to share.
final class FlightEnd: Sendable {
    let outcome: RefreshOutcome
    /// The token that was stored, made once for all.
    private let token: AccessToken?
    private let account: AccountID?

    /// The new token of somebody who knew the account as it was before; nil when this is not simply
    /// that.
    func token(after known: StoredAccount) -> AccessToken? {
        guard let token, token.generation > known.generation, account == known.id else {
            return nil
        }
        return token
    }

    init(_ outcome: RefreshOutcome, of request: AccessTokenRequest?, at now: Moment) {
        self.outcome = outcome
        guard case .refreshed(let account) = outcome,
            let token = account.tokens.accessToken(for: request), token.grantsAll
        else {
            (self.token, self.account) = (nil, nil)
            return
        }
        self.account = account.id
        self.token = AccessToken(token, of: account, now: now, warning: nil)
    }
}

/// What a refresh came to.
enum RefreshOutcome: Sendable {
    /// A new pair is stored.
    case refreshed(StoredAccount)
    /// Somebody else had stored one.
    case adopted(StoredAccount)
    /// A new pair came back and is only in memory: it is served once the old token is dead.
    case notSaved(old: StoredAccount, new: StoredAccount)
    /// There is no new pair; the account as it is now, unless even that could not be read.
    case failed(VaultError, StoredAccount?)
}
