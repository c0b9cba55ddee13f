internal import FoundationEssentials
internal import Platform
internal import VaultStore

extension Vault {
    /// Refreshes every account before its token expires, until the task is cancelled.
    ///
    /// The store's index of due times is the queue: there is no task or timer for each account. Any
    /// number of processes may run this on one vault; each refresh is still sent once.
    ///
    /// - Throws: `CancellationError` when the task is cancelled or the vault closed, and nothing
    ///   else: a failing account is tried again later.
    public func runScheduler() async throws {
        var scheduler = Scheduler(vault: self)
        while true {
            try Task.checkCancellation()
            guard !refresher.isClosed else { throw CancellationError() }
            let pause = await scheduler.dispatch()
            await schedulerWakeup.sleep(seconds: pause, clock: clock)
        }
    }
}

/// One round after the other: what is due now, and how long until the next is.
private struct Scheduler {
    /// Refreshes running at once.
    private static let seats = 64
    /// No sleep is longer: a change by another process is noticed by then.
    private static let longestPause = 30.0
    private static let shortestPause = 0.1
    /// Seconds an account is left alone when not even its failure could be written down.
    private static let quarantine = 5.0
    /// Seconds an account is left alone that waits for a person: another due time ends them.
    private static let patience = 1800.0

    let vault: Vault
    /// The accounts that were dispatched here and have not moved on since.
    private var dispatched: [AccountName: Dispatch] = [:]

    /// The moment of the last round.
    private var last: Moment
    /// Seconds by which the wall clock was set back since: what was due before is due that much
    /// later by the file.
    private var setBack = 0.0

    /// A refresh that was started for an account.
    private struct Dispatch {
        /// When the account was due; another due time is news, and waits for nothing.
        let due: Date
        /// When it may be dispatched again all the same.
        var again: Moment
    }

    init(vault: Vault) {
        self.vault = vault
        last = vault.clock.now()
    }

    /// Starts what is due; seconds until there may be more.
    mutating func dispatch() async -> Double {
        let now = vault.clock.now()
        noteStep(until: now)
        // What other processes changed.
        vault.states.tell()
        dispatched = dispatched.filter { $0.value.again.seconds(since: now) > 0 }
        let free = Self.seats - vault.refresher.flightCount
        guard free > 0, !vault.refresher.storeRefusesWrites else { return 1 }
        do {
            // Those in flight or in quarantine stand at the head of the queue still.
            let limit = free + dispatched.count + vault.refresher.flightCount
            let latest = now.wall.addingTimeInterval(setBack)
            let horizon = latest.addingTimeInterval(Self.longestPause)
            let queue = try vault.store.due(before: horizon, limit: limit)
            for hint in queue {
                guard let due = hint.due, due <= latest else { break }
                guard let name = AccountName(hint.name), dispatched[name]?.due != due
                else { continue }
                // Somebody who is done wakes the loop.
                guard vault.refresher.flightCount < Self.seats else { return 1 }
                dispatched[name] = Dispatch(
                    due: due,
                    again: now.advanced(by: Self.quarantine)
                )
                // An account that cannot be read holds up none of the others.
                try? start(name, now)
            }
            return pause(after: queue, latest, isWhole: queue.count < limit, now)
        } catch {
            // A busy or full store is asked again; it holds nothing that could be lost here.
            return 1
        }
    }

    private mutating func start(_ name: AccountName, _ now: Moment) throws {
        let account = try vault.store.account(named: name)
        // It may have been refreshed since the queue was read.
        guard RefreshSchedule.isDue(account, at: now) else { return }
        if [.verifyBeforeUse, .paused].contains(account.health.state)
            || account.settings.isOfUnknownProvider
        {
            dispatched[name]?.again = now.advanced(by: Self.patience)
            return
        }
        let flight = try vault.refresher.flight(for: account)
        if let due = dispatched[name]?.due {
            vault.lateness.note(now.wall.timeIntervalSince(due) + setBack)
        }
        let vault = vault
        // Wakes the loop for what is due next; the flight is the refresher's to see through.
        Task {
            _ = try await flight.outcome(deadline: nil)
            vault.schedulerWakeup.wake()
        }
    }

    /// Notices that somebody set the wall clock back since the last round.
    private mutating func noteStep(until now: Moment) {
        let step = now.seconds(since: last) - now.wall.timeIntervalSince(last.wall)
        // Less is the clock being slewed.
        if step > 1 { setBack += step }
        last = now
    }

    /// Seconds until something of the queue is due, or may be dispatched again.
    private func pause(
        after queue: [AccountHint],
        _ latest: Date,
        isWhole: Bool,
        _ now: Moment
    ) -> Double {
        var pause = isWhole ? Self.longestPause : Self.shortestPause
        // What was due already is at work, or in quarantine.
        if let next = queue.lazy.compactMap(\.due).first(where: { $0 > latest }) {
            pause = min(pause, next.timeIntervalSince(latest))
        }
        for dispatch in dispatched.values {
            pause = min(pause, dispatch.again.seconds(since: now))
        }
        return max(pause, Self.shortestPause)
    }
}
