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
    /// Seconds from one look at the clients that have to wait to the next, unless there is news.
    private static let recheckInterval = 10.0
    /// Refreshes at work of which each that ends is no longer worth a look into the queue.
    private static let crowd = 16
    /// Accounts of an older vault whose clients are looked up in one round.
    private static let namesPerRound = 250
    /// Seconds an account is left alone when not even its failure could be written down.
    private static let quarantine = 5.0
    /// Seconds an account is left alone that waits for a person: another due time ends them.
    private static let patience = 1800.0

    private let vault: Vault
    private let reports = Locked<[SchedulerReport]>([])
    private var hosts: [String: Pace] = [:]
    private var clients: [DueQueue.Client: ClientPace] = [:]
    private var queue = DueQueue()
    /// The accounts that were dispatched here and have not moved on since.
    private var dispatched: [AccountName: Dispatch] = [:]
    /// Endpoints to ask hosts for a connection at.
    private var endpoints: [String: EndpointURL] = [:]
    private var look: Look?
    /// The client that a look past those that have to wait came to.
    private var cursor: DueQueue.Client = []
    /// When the clients that have to wait were last asked about.
    private var lastRecheck: Moment?
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
        clocks = ClockRepair(at: vault.clock.now())
    }

    /// Has the scheduler look at once when the network changed or somebody set the clock; nil where the
    /// time is not the machine's.
    func watchSystem() -> Task<Void, Never>? {
        guard vault.clock is SystemClock else { return nil }
        let (reports, wakeup) = (reports, vault.schedulerWakeup)
        // Cancelled when the scheduler ends.
        return Task {
            for await change in SystemChanges.stream {
                if change == .network { reports.withLock { $0.append(.networkChanged) } }
                wakeup.wake(isNews: false)
            }
        }
    }

    /// Starts what is due; seconds until there may be more.
    mutating func dispatch() async -> Double {
        let now = vault.clock.now()
        // What other processes changed.
        vault.states.tell()
        takeReports(at: now)
        guard !vault.refresher.storeRefusesWrites else { return 1 }
        do {
            if try await clocks.look(at: now, vault.store) { doubtAll(at: now) }
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
        forgetIdle()
        var found = try DueLook(
            store: vault.store,
            latest: clocks.latest(now),
            limit: 2 * Self.seats + dispatched.count
        )
        if !found.isWhole {
            let load = load(at: now)
            try found.lookBeyond(&cursor) { load($0) != nil }
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

    /// What is known of healthy hosts and clients is soon known again; there may be very many.
    private mutating func forgetIdle() {
        guard hosts.count + clients.count > 4096 else { return }
        hosts = hosts.filter { !$0.value.isIdle }
        clients = clients.filter { !$0.value.isIdle }
        endpoints = endpoints.filter { hosts[$0.key] != nil }
    }

    // MARK: - Starting

    /// What is at work for a client; nil when nothing may be started for it.
    private func load(at now: Moment) -> (DueQueue.Client) -> DueQueue.Load? {
        let free = Self.seats - vault.refresher.flightCount
        return { [hosts, clients] client in
            guard free > 0 else { return nil }
            guard let pace = clients[client] else { return DueQueue.Load(host: 0, client: 0) }
            guard pace.hasRoom(at: now) else { return nil }
            let host = pace.host.flatMap { hosts[$0] } ?? Pace()
            guard host.hasRoom, host.atWork < free else { return nil }
            return DueQueue.Load(host: host.atWork, client: pace.atWork)
        }
    }

    private mutating func startAll(at now: Moment) {
        while let hint = queue.next(load(at: now)) {
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
        clients[hint.lane, default: ClientPace()].host = endpoint.host
        clients[hint.lane]?.example = name
        // Only now is it known where it goes to.
        guard hosts[endpoint.host, default: Pace()].hasRoom else {
            dispatched[name] = nil
            return queue.putBack(hint)
        }
        guard try !mustWait(account, hint.lane, at: now) else {
            dispatched[name] = nil
            return queue.putBack(hint)
        }
        let flight = try vault.refresher.flight(for: account, urgency: .planned)
        endpoints[endpoint.host] = endpoint
        hosts[endpoint.host, default: Pace()].start()
        clients[hint.lane, default: ClientPace()].start()
        vault.lateness.note(clocks.latest(now).timeIntervalSince(hint.due ?? now.wall))
        report(flight, of: hint.lane, at: endpoint.host)
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
            clients[lane]?.space(limit.share, at: now)
            return false
        }
        clients[lane]?.hold(wait, at: now)
        return true
    }

    /// Has somebody wait for the end of a flight; the flight itself is the refresher's to see through.
    private func report(_ flight: Flight, of client: DueQueue.Client, at host: String) {
        let (reports, wakeup) = (reports, vault.schedulerWakeup)
        Task {
            let outcome = try? await flight.outcome(deadline: nil)
            reports.withLock {
                $0.append(.ended(outcome, wasSent: flight.hasSent, client: client, host: host))
            }
            wakeup.wake(isNews: false)
        }
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
        let reports = reports.withLock { reports in
            defer { reports = [] }
            return reports
        }
        for report in reports {
            switch report {
            case .ended(let outcome, let wasSent, let client, let host):
                look?.isPassed = true
                hosts[host]?.end(outcome.paceEnding(wasSent: wasSent), at: now)
                clients[client]?.end(isGranted: outcome.isGranted, at: now)
                if let account = outcome.refusedForClient {
                    let pause = clientPause(of: account, at: now)
                    clients[client]?.close(for: pause, at: now)
                }
            case .networkChanged:
                for host in hosts.keys { hosts[host]?.hurry(at: now) }
            case .probed(let host, let isReachable):
                hosts[host]?.endProbe(isReachable: isReachable, at: now)
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
        guard isNews || lastRecheck.map({ now.seconds(since: $0) >= Self.recheckInterval }) ?? true
        else { return }
        lastRecheck = now
        for (client, pace) in clients where pace.isClosed(at: now) {
            guard let account = pace.example else { continue }
            let pause = clientPause(of: account, at: now)
            clients[client]?.close(for: pause, at: now)
        }
    }

    /// Nothing that was known of any host holds any more.
    private mutating func doubtAll(at now: Moment) {
        for host in hosts.keys { hosts[host]?.doubt(at: now) }
    }

    /// The hosts that something of the queue would go to.
    private var hostsWanted: Set<String> { Set(queue.clients.compactMap { clients[$0]?.host }) }

    private mutating func startProbes(at now: Moment) {
        for host in hostsWanted where hosts[host]?.wantsProbe(at: now) ?? false {
            guard let endpoint = endpoints[host] else { continue }
            hosts[host]?.beginProbe()
            let (transport, reports, wakeup) = (vault.transport, reports, vault.schedulerWakeup)
            // Ends by the transport's own deadline; a round that comes later takes its report.
            Task {
                let isReachable = await transport.canReach(endpoint)
                reports.withLock { $0.append(.probed(host: host, isReachable: isReachable)) }
                wakeup.wake(isNews: false)
            }
        }
    }

    // MARK: - Resting

    /// Seconds until something of the queue is due, or may be started.
    private func pause(at now: Moment) -> Double {
        var pause = Self.longestPause
        if let look {
            pause = min(pause, lookDelay(look, at: now) - now.seconds(since: look.at))
        }
        for client in queue.clients {
            pause = min(pause, clients[client]?.openingDelay(at: now) ?? pause)
        }
        for host in hostsWanted { pause = min(pause, hosts[host]?.probeDelay(at: now) ?? pause) }
        return max(pause, Self.shortestPause)
    }
}

/// What came of something that a scheduler had started.
enum SchedulerReport: Sendable {
    case ended(RefreshOutcome?, wasSent: Bool, client: DueQueue.Client, host: String)
    case probed(host: String, isReachable: Bool)
    case networkChanged
}

extension RefreshOutcome? {
    /// What the end of a refresh says of the host.
    fileprivate func paceEnding(wasSent: Bool) -> Pace.Ending {
        guard wasSent else { return .unasked }
        guard case .failed(let error, _) = self else { return .answered }
        switch error.code {
        case .unreachable: return .unreachable
        case .outcomeUnknown: return error.facts[.status] == nil ? .lost : .answered
        default: return .answered
        }
    }

    fileprivate var isGranted: Bool {
        if case .refreshed = self { true } else { false }
    }

    /// The account, where the failure is not of its own but of its client.
    fileprivate var refusedForClient: AccountName? {
        guard case .failed(let error, _) = self,
            [.throttled, .clientRefused, .massRefusal].contains(error.code)
        else { return nil }
        return error.account
    }
}
