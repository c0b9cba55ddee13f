internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultKit
internal import VaultStore

/// The agent's vault, locked or unlocked.
///
/// Locked, there are no keys and nothing runs. Unlocking opens the vault on a thread of its own,
/// one attempt at a time. Locking stores what is in flight first: until then the keys stay, but
/// nobody gets at the vault any more. A pair that the store does not take yet is never given up for
/// a lock, and for an end of the agent only once it has waited and said so.
final class AgentVault: Sendable {
    private enum Phase {
        case locked(VaultError)
        case unlocked(AgentSession)
        /// What comes of it, and why callers get nothing meanwhile.
        case locking(AgentSession, Task<VaultError?, Never>, VaultError)
    }

    private struct State {
        var phase = Phase.locked(VaultError(.locked))
        var pace = UnlockPace()
        var isTrying = false
        var hasEnded = false
        var timer: LockTimer?
    }

    private struct LockTimer {
        let moment: Moment
        let task: Task<Void, Never>
    }

    /// Seconds until a lock that had to wait for a store is tried again.
    private static let again = 5.0
    /// Seconds between looks at a pair that only an end of the agent waits for.
    private static let look = 0.5
    /// No sleep is longer: a machine's suspend is noticed by then.
    private static let longestSleep = 30.0

    let location: VaultLocation
    let metrics = AgentMetrics()
    private let transport: any HTTPTransport
    private let log: AgentLog
    private let clock: any VaultClock
    private let hooks: EventHooks
    private let opener = VaultOpener()
    private let state = Locked(State())

    init(
        _ location: VaultLocation,
        _ transport: any HTTPTransport,
        _ log: AgentLog,
        _ clock: any VaultClock,
        _ hooks: EventHooks
    ) {
        self.location = location
        self.transport = transport
        self.log = log
        self.clock = clock
        self.hooks = hooks
    }

    // MARK: - Looking

    /// The open vault, or why there is none.
    func session() throws(VaultError) -> AgentSession {
        try state.withLock { state throws(VaultError) in
            switch state.phase {
            case .unlocked(let session): return session
            case .locked(let error), .locking(_, _, let error): throw error
            }
        }
    }

    /// The sign-ins, whose outcome can be asked for also while it is being locked.
    func signIns() throws(VaultError) -> SignIns {
        try state.withLock { state throws(VaultError) in
            switch state.phase {
            case .unlocked(let session), .locking(let session, _, _): return session.signIns
            case .locked(let error): throw error
            }
        }
    }

    /// When it locks itself.
    var lockDate: Date? {
        guard let moment = state.withLock({ $0.timer?.moment }) else { return nil }
        let now = clock.now()
        return now.wall.addingTimeInterval(moment.seconds(since: now))
    }

    /// Whether the agent has to stay for it.
    var isNeeded: Bool {
        let (isBusy, session) = state.withLock { state in
            switch state.phase {
            case .locked: (state.isTrying, AgentSession?.none)
            case .unlocked(let session): (state.isTrying, session)
            case .locking: (true, nil)
            }
        }
        return isBusy || session?.isNeeded ?? false
    }

    /// The accounts with a pair that is only in memory.
    var unsavedAccounts: [AccountName] {
        let session: AgentSession? = state.withLock { state in
            switch state.phase {
            case .unlocked(let session), .locking(let session, _, _): session
            case .locked: nil
            }
        }
        return session?.vault.unsavedAccounts ?? []
    }

    // MARK: - Unlocking

    /// Opens it with its key file if that opens it; the agent serves either way.
    func start() async throws {
        do {
            try await open(.keyFile)
        } catch {
            guard error.code == .locked else { throw error }
            state.withLock { $0.phase = .locked(error) }
            log.write("locked", ["reason": error.facts[.reason] ?? ""])
        }
    }

    /// Unlocks it; of one that is unlocked, checks the secret.
    ///
    /// The answer about a wrong one comes later each time; only the answer, so that a wrong one keeps
    /// nobody's right one out.
    func unlock(_ unlock: Unlock, lockAfter seconds: Double?) async throws {
        do {
            try await open(unlock)
            log.write("unlocked", ["with": unlock.name])
        } catch {
            log.write("unlock_refused", ["reason": error.facts[.reason] ?? error.code.rawValue])
            throw error
        }
        if let seconds { lock(after: seconds) }
    }

    private func open(_ unlock: Unlock) async throws(VaultError) {
        try state.withLock { state throws(VaultError) in
            guard !state.hasEnded else { throw VaultError(.closed) }
            if case .locking = state.phase {
                throw VaultError(.busy, facts: [.reason: "locking"])
            }
            guard !state.isTrying else { throw VaultError(.busy, facts: [.reason: "unlocking"]) }
            state.isTrying = true
        }
        do {
            let vault = try await opener.open(location, unlock, transport, clock)
            try await takeOver(vault, needsPerson: unlock.needsPerson)
            state.withLock { $0.isTrying = false }
        } catch {
            let error = VaultError(error)
            let penalty = state.withLock { state in
                state.isTrying = false
                return error.isWrongSecret ? state.pace.failed() : 0
            }
            if penalty > 0 { try? await clock.sleep(seconds: penalty) }
            throw error
        }
    }

    /// Begins a session, unless there is one already: then the secret was checked, and that is all.
    private func takeOver(_ vault: Vault, needsPerson: Bool) async throws(VaultError) {
        let (isTaken, problem) = state.withLock { state -> (Bool, VaultError?) in
            state.pace.succeeded()
            guard !state.hasEnded else { return (false, VaultError(.closed)) }
            switch state.phase {
            case .unlocked: return (false, nil)
            case .locking: return (false, VaultError(.busy, facts: [.reason: "locking"]))
            case .locked:
                let session = AgentSession(vault, transport, log, metrics, clock, needsPerson)
                state.phase = .unlocked(session)
                // Before anybody can lock it again, which ends what begins here.
                hooks.begin(vault)
                return (true, nil)
            }
        }
        if !isTaken { await vault.close() }
        if let problem { throw problem }
    }

    // MARK: - Locking

    /// Locks it now, once what is in flight is stored.
    ///
    /// - Throws: `not_saved` while a pair is only in memory.
    func lock(because reason: Reason) async throws(VaultError) {
        // One that ends has no choice: it drains first, and `end` waits for what is left.
        if reason == .ending { return try await drain(VaultError(.closed)) }
        try await lock(saying: VaultError(.locked, facts: [.reason: reason.rawValue]))
    }

    /// The same, for what its error says.
    func lock(saying error: VaultError) async throws(VaultError) {
        if let account = (try? session())?.vault.unsavedAccounts.first {
            throw VaultError(.notSaved, account: account)
        }
        try await drain(error)
    }

    private func drain(_ error: VaultError) async throws(VaultError) {
        let (locking, timer) = state.withLock {
            state -> (Task<VaultError?, Never>?, Task<Void, Never>?) in
            switch state.phase {
            case .locked: return (nil, nil)
            case .locking(_, let task, _): return (task, nil)
            case .unlocked(let session):
                // Awaited below, and by whoever else wants it locked.
                let task = Task { await self.close(session, error) }
                state.phase = .locking(session, task, error)
                defer { state.timer = nil }
                return (task, state.timer?.task)
            }
        }
        timer?.cancel()
        if let failure = await locking?.value { throw failure }
    }

    /// Ends the session and lets go of its keys.
    private func close(_ session: AgentSession, _ error: VaultError) async -> VaultError? {
        await session.end()
        hooks.end()
        guard let account = session.vault.unsavedAccounts.first else {
            finishLocking(error)
            return nil
        }
        // The store refused a pair that came at the last moment. Nobody awaits this one: it ends
        // when the pair is stored.
        Task {
            while !session.vault.unsavedAccounts.isEmpty {
                try? await clock.sleep(seconds: Self.again)
            }
            finishLocking(error)
        }
        return VaultError(.notSaved, account: account)
    }

    private func finishLocking(_ error: VaultError) {
        // How sign-ins ended is asked for until the last moment.
        guard error.code == .locked else { return }
        state.withLock { $0.phase = .locked(error) }
        log.write("locked", ["reason": error.facts[.reason] ?? ""])
    }

    /// Locks it after some seconds, in place of any other time that was set.
    func lock(after seconds: Double) {
        let moment = clock.now().advanced(by: seconds)
        // Cancelled by a lock or another time.
        let task = Task { await waitAndLock(moment) }
        let old = state.withLock { state -> Task<Void, Never>? in
            guard case .unlocked = state.phase, !state.hasEnded else { return task }
            defer { state.timer = LockTimer(moment: moment, task: task) }
            return state.timer?.task
        }
        old?.cancel()
    }

    private func waitAndLock(_ moment: Moment) async {
        while true {
            let left = moment.seconds(since: clock.now())
            do {
                guard left <= 0 else {
                    try await clock.sleep(seconds: min(left, Self.longestSleep))
                    continue
                }
                try Task.checkCancellation()
                do {
                    return try await lock(because: .time)
                } catch {
                    try await clock.sleep(seconds: Self.again)
                }
            } catch {
                return
            }
        }
    }

    // MARK: - The end

    /// Stores what is in flight and ends for good.
    ///
    /// Draining takes up to a minute. A pair that is not stored by then is waited for until
    /// `isForced` says that this has to end, or until there is no file left to store it in; it is
    /// lost then, and the log says whose it was.
    func end(isForced: @Sendable () -> Bool) async {
        state.withLock { $0.hasEnded = true }
        try? await lock(because: .ending)
        while !unsavedAccounts.isEmpty, !isForced(), !FileSystem.isMissing(location.database) {
            guard (try? await clock.sleep(seconds: Self.look)) != nil else { break }
        }
        for account in unsavedAccounts { log.write("pair_lost", ["account": account.text]) }
    }
}
