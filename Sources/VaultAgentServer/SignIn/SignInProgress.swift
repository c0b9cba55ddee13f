internal import Platform
internal import VaultKit

/// How far a sign-in is, known to whoever works on it and whoever asks.
final class SignInProgress: Sendable {
    /// Seconds a person has to come back from the browser.
    static let life = 600.0
    /// Seconds without a question from the command after which nobody is waiting any more.
    static let unattendedLife = 90.0
    /// The same where nobody has asked yet: whoever began it was gone before it knew its name.
    static let unclaimedLife = 20.0

    /// What is going on while it waits.
    enum Notice: Sendable {
        case exchanging
        case unreachable
        case slowedDown
    }

    private let state = Locked(State())

    private struct State {
        var outcome: SignIn.Outcome?
        var notice: Notice?
        /// What came back is spent: from now on only its exchange decides.
        var isExchanging = false
        var isClaimed = false
        var lastAsked = Uptime.seconds()
    }

    var outcome: SignIn.Outcome? { state.withLock { $0.outcome } }
    var notice: Notice? { state.withLock { $0.isExchanging ? .exchanging : $0.notice } }

    func setNotice(_ notice: Notice?) {
        state.withLock { $0.notice = notice }
    }

    /// Waits up to some seconds for the outcome, for a command that asks.
    func outcome(within seconds: Double) async -> SignIn.Outcome? {
        let end = Uptime.seconds() + seconds
        while true {
            let outcome = state.withLock { state in
                state.lastAsked = Uptime.seconds()
                state.isClaimed = true
                return state.outcome
            }
            guard outcome == nil, Uptime.seconds() < end else { return outcome }
            // Cancelled, there is nobody left to tell.
            guard (try? await SystemClock().sleep(seconds: 0.05)) != nil else { return nil }
        }
    }

    /// Returns once there is an outcome: at the latest after `life`, or when nobody asks any more.
    func waitForOutcome(life: Double = SignInProgress.life) async {
        let start = Uptime.seconds()
        let clock = SystemClock()
        while outcome == nil {
            let now = Uptime.seconds()
            let (lastAsked, isClaimed) = state.withLock { ($0.lastAsked, $0.isClaimed) }
            let limit = isClaimed ? Self.unattendedLife : Self.unclaimedLife
            if now - start > life || now - lastAsked > limit { giveUp("timed_out") }
            guard (try? await clock.sleep(seconds: 0.1)) != nil else { return }
        }
    }

    /// Runs work as long as there is no outcome, and cancels it then.
    ///
    /// The work has its own end: the wait is for whoever asks.
    func run(life: Double, _ work: @escaping @Sendable () async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await work() }
            group.addTask { await self.waitForOutcome(life: life) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Ends the wait for a person.
    ///
    /// A code that is being exchanged is spent: what it brings is stored, and told.
    func giveUp(_ reason: String) {
        state.withLock { state in
            guard state.outcome == nil, !state.isExchanging else { return }
            state.outcome = .failed(VaultError(.signInFailed, facts: [.reason: reason]))
        }
    }

    /// Whether what has come is to be exchanged or stored: not when it was given up before, and not
    /// twice.
    func beginExchange() -> Bool {
        state.withLock { state in
            guard state.outcome == nil, !state.isExchanging else { return false }
            state.isExchanging = true
            return true
        }
    }

    /// The first outcome counts.
    func settle(_ outcome: SignIn.Outcome) {
        state.withLock { state in
            if state.outcome == nil { state.outcome = outcome }
        }
    }
}
