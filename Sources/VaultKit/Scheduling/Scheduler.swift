internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultStore

/// One round after the other: what is due now is started, and the pause until the next round told.
///
/// What may be started is decided by `Pace`, `ClientPace` and `DueQueue`; here are their effects.
struct Scheduler {
    /// Refreshes running at once, of all hosts.
    ///
    /// One host gets at most as many as are left free, so that those which hang leave room for the
    /// next.
    static let seats = 384
    /// No sleep is longer: a change by another process is noticed by then.
    static let longestPause = 30.0
    static let shortestPause = 0.1
    /// Seconds from one look into the queue to the next, while refreshes come to their end.
    private static let lookInterval = 0.5
    /// Seconds to the next where nothing of what is due may be started.
    private static let waitInterval = 5.0
    /// Refreshes at work of which each that ends is no longer worth a look into the queue.
    private static let crowd = 16
    /// Accounts of an older vault whose clients are looked up in one round.
    private static let namesPerRound = 250
    /// Seconds an account is left alone when not even its failure could be written down.
    private static let quarantine = 5.0
    /// Seconds an account is left alone that waits for a person: another due time ends them.
    private static let patience = 1800.0

    private let vault: Vault
    private let reports: SchedulerReports
    private var paces = Paces()
    private var queue = DueQueue()
    /// The accounts that were dispatched here and have not moved on since.
    private var dispatched: [AccountName: Dispatch] = [:]
    private var look: Look?
    /// The client that a look past those that have to wait came to.
    private var cursor: DueQueue.Client = []
    private var clocks: ClockRepair
    private var grantEnds = GrantEndNotice()
    /// Whether there may be accounts of an older vault, of which nobody wrote down the client.
    private var hasUnnamed = true
    /// The accounts that turned out not to be due: the wall clock was set forward since their plan.
    private var misplanned: [NewPlan] = []

    /// A refresh that was started for an account.
    private struct Dispatch {
        /// When the account was due; another due time is news, and waits for nothing.
        let due: Date
        /// When it may be dispatched again all the same.
        var again: Moment
    }

    /// What the last look into the store found.
    private struct Look {
        let at: Moment
        let newsCount: UInt64
        /// Whether everything that was due is in the queue.
        var isWhole = false
        /// When the next one is due that was not yet.
        var next: Date?
        /// Whether a refresh has ended since, and may have left another due.
        var isPassed = false
    }

    init(vault: Vault) {
        self.vault = vault
        reports = SchedulerReports(wakeup: vault.schedulerWakeup)
        clocks = ClockRepair(at: vault.clock.now())
    }

    /// Has the scheduler look at once when the network changed or somebody set the clock; nil where the
    /// time is not the machine's.
    func watchSystem() -> Task<Void, Never>? {
        vault.clock is SystemClock ? reports.followSystem() : nil
    }

    /// Starts what is due; seconds until there may be more.
    mutating func dispatch() async -> Double {
        let now = vault.clock.now()
        // What other processes changed.
        vault.states.tell()
        takeReports(at: now)
        guard !vault.refresher.storeRefusesWrites else { return 1 }
        do {
            if try await clocks.look(at: now, vault.store) { paces.doubtAll(at: now) }
            if hasUnnamed {
                hasUnnamed = try await vault.store.nameClients(limit: Self.namesPerRound)
            }
            if wantsLook(at: now) { try lookUp(at: now) }
            startAll(at: now)
            try await writePlans()
            startProbes(at: now)
            try await grantEnds.look(at: now, vault)
        } catch {
            // A busy or full store is asked again; it holds nothing that could be lost here.
            return clocks.rest(for: 1)
        }
        return clocks.rest(for: hasUnnamed ? Self.shortestPause : pause(at: now))
    }

    // MARK: - The queue

    private func wantsLook(at now: Moment) -> Bool {
        guard let look else { return true }
        let age = now.seconds(since: look.at)
        return age >= Self.longestPause || age >= lookDelay(look, at: now)
    }

    /// Seconds after the last look at which there may be more to find.
    private func lookDelay(_ look: Look, at now: Moment) -> Double {
        var delay = Self.longestPause
        if look.newsCount != vault.schedulerWakeup.newsCount {
            // Each failure is news: of a crowd of them not every one is worth a look.
            return vault.refresher.flightCount < Self.crowd ? 0 : Self.shortestPause
        }
        if let next = look.next {
            delay = min(delay, next.timeIntervalSince(clocks.latest(look.at)))
        }
        if look.isPassed { delay = min(delay, Self.lookInterval) }
        if !look.isWhole {
            // The rest comes to light once these are on their way; where all of them must wait, there
            // may be others behind them.
            delay = min(delay, queue.isEmpty ? Self.shortestPause : Self.waitInterval)
        }
        for dispatch in dispatched.values {
            delay = min(delay, dispatch.again.seconds(since: look.at))
        }
        return max(delay, Self.shortestPause)
    }

    private mutating func lookUp(at now: Moment) throws {
        let newsCount = vault.schedulerWakeup.newsCount
        recheckClients(at: now)
        dispatched = dispatched.filter { $0.value.again.seconds(since: now) > 0 }
        paces.forgetIdle()
        var found = try DueLook(
            store: vault.store,
            latest: clocks.latest(now),
            limit: 2 * Self.seats + dispatched.count
        )
        if !found.isWhole {
            let (paces, free) = (paces, free)
            try found.lookBeyond(&cursor) { paces.load(of: $0, free: free, at: now) != nil }
        }
        queue = DueQueue()
        queue.add(found.hurried.filter(isNews), hurried: true)
        queue.add(found.due.filter(isNews))
        look = Look(at: now, newsCount: newsCount, isWhole: found.isWhole, next: found.next)
    }

    private func isNews(_ hint: AccountHint) -> Bool {
        guard let name = AccountName(hint.name) else { return false }
        return dispatched[name]?.due != hint.due
    }

    // MARK: - Starting

    /// Seats that nobody has.
    private var free: Int { Self.seats - vault.refresher.flightCount }

    private mutating func next(at now: Moment) -> AccountHint? {
        let (paces, free) = (paces, free)
        return queue.next { paces.load(of: $0, free: free, at: now) }
    }

    private mutating func startAll(at now: Moment) {
        while let hint = next(at: now) {
            guard let due = hint.due, let name = AccountName(hint.name) else { continue }
            dispatched[name] = Dispatch(due: due, again: now.advanced(by: Self.quarantine))
            // An account that cannot be read holds up none of the others.
            try? start(hint, name, now)
        }
    }

    private mutating func start(_ hint: AccountHint, _ name: AccountName, _ now: Moment) throws {
        // One that takes longer than the quarantine is seen again, and is at work once all the same.
        guard !vault.refresher.isRefreshing(name) else { return }
        let account = try vault.store.account(named: name)
        // It may have been refreshed since the queue was read.
        guard RefreshSchedule.isDue(account, at: now) else { return replan(account, at: now) }
        if [.verifyBeforeUse, .paused].contains(account.health.state)
            || account.settings.isOfUnknownProvider
        {
            dispatched[name]?.again = now.advanced(by: Self.patience)
            return
        }
        let endpoint = account.settings.refreshEndpoint
        // Only now is it known where it goes to.
        guard paces.hasRoom(for: name, of: hint.lane, at: endpoint.host) else {
            dispatched[name] = nil
            return queue.putBack(hint)
        }
        guard try !mustWait(account, hint.lane, at: now) else {
            dispatched[name] = nil
            return queue.putBack(hint)
        }
        let flight = try vault.refresher.flight(for: account, urgency: .planned)
        paces.start(hint.lane, at: endpoint, through: account.settings.network)
        vault.lateness.note(clocks.latest(now).timeIntervalSince(hint.due ?? now.wall))
        reports.follow(flight, of: hint.lane, at: endpoint.host)
    }

    /// Keeps a client to its pace, where the number of its requests is limited.
    private mutating func mustWait(
        _ account: StoredAccount,
        _ lane: DueQueue.Client,
        at now: Moment
    ) throws -> Bool {
        guard let limit = try vault.store.requestLimit(of: account.settings) else { return false }
        let client = try vault.store.clientState(of: account)
        guard let wait = client.limitWait(isPlanned: true, at: now.wall) else {
            paces.space(lane, by: limit.share, at: now)
            return false
        }
        paces.hold(lane, for: wait, at: now)
        return true
    }

    private mutating func replan(_ account: StoredAccount, at now: Moment) {
        if RefreshSchedule.isLeftToCallers(account, at: now) {
            let rest = RefreshSchedule.rest(account, at: now)
            guard rest == account.health.due else {
                return misplanned.append(NewPlan(account: account, due: rest))
            }
            dispatched[account.name]?.again = now.advanced(by: Self.patience)
        }
        guard let due = RefreshSchedule.replanned(account, at: now), let old = account.health.due,
            abs(due.timeIntervalSince(old)) > 1
        else { return }
        misplanned.append(NewPlan(account: account, due: due))
    }

    private mutating func writePlans() async throws {
        guard !misplanned.isEmpty else { return }
        defer { misplanned = [] }
        try await vault.store.replan(misplanned)
        look?.isPassed = true
    }

    // MARK: - Hosts

    private mutating func takeReports(at now: Moment) {
        for report in reports.takeAll() {
            switch report {
            case .ended(let outcome, let wasSent, let client, let host):
                look?.isPassed = true
                let ending = outcome.paceEnding(wasSent: wasSent)
                paces.end(client, at: host, ending, isGranted: outcome.isGranted, now)
                if let account = outcome.refusedForClient {
                    paces.close(client, for: clientPause(of: account, at: now), at: now)
                }
            case .networkChanged: paces.hurryAll(at: now)
            case .probed(let host, let isReachable):
                paces.endProbe(of: host, isReachable: isReachable, at: now)
            }
        }
    }

    /// Seconds for which nothing is sent for any account of the client that this one belongs to.
    private func clientPause(of account: AccountName, at now: Moment) -> Double {
        guard let account = try? vault.store.account(named: account),
            let client = try? vault.store.clientState(of: account)
        else { return 0 }
        let turn = client.breaker.map {
            min($0.nextTry.timeIntervalSince(now.wall), ClientState.tryInterval)
        }
        let limited = client.limitWait(isPlanned: true, at: now.wall)
        return max(client.pause(at: now) ?? 0, turn ?? 0, limited ?? 0)
    }

    /// Looks whether clients that had to wait were mended meanwhile, by whomever.
    private mutating func recheckClients(at now: Moment) {
        let isNews = look?.newsCount != vault.schedulerWakeup.newsCount
        guard isNews || paces.wantsRecheck(at: now) else { return }
        for (client, account) in paces.beginRecheck(at: now) {
            paces.close(client, for: clientPause(of: account, at: now), at: now)
        }
    }

    private mutating func startProbes(at now: Moment) {
        for place in paces.beginProbes(for: queue.clients, at: now) {
            reports.probe(place, by: vault.transport)
        }
    }

    // MARK: - Resting

    /// Seconds until something of the queue is due, or may be started.
    private func pause(at now: Moment) -> Double {
        var pause = Self.longestPause
        if let look {
            pause = min(pause, lookDelay(look, at: now) - now.seconds(since: look.at))
        }
        pause = min(pause, paces.delay(for: queue.clients, at: now) ?? pause)
        return max(pause, Self.shortestPause)
    }
}
