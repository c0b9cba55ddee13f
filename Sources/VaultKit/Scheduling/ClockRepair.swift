internal import FoundationEssentials
internal import Platform
internal import VaultStore

/// Keeps the plans right when somebody sets the wall clock.
///
/// What is due is found by the wall clock. Set forward, it brings accounts up too early, which is seen
/// when they are looked at. Set back, it hides what is due: until those plans are made anew, the queue
/// is read as far ahead as the clock was set back.
struct ClockRepair: Sendable {
    /// Accounts planned anew within one transaction.
    private static let batch = 250

    private var watch: ClockWatch
    private var isStarted = false
    /// The clocks as the vault has them.
    private var noted: Moment?
    private var repair: Repair?

    /// The plans that a wall clock which was set back has put too far away.
    private struct Repair {
        /// Seconds by which it was set back.
        var setBack: Double
        /// What was thought over already.
        var last: (due: Date, number: Int64)
    }

    init(at now: Moment) {
        watch = ClockWatch(at: now)
    }

    /// The time up to which accounts are due, as the queue counts.
    func latest(_ now: Moment) -> Date {
        now.wall.addingTimeInterval(repair?.setBack ?? 0)
    }

    /// Announces a pause.
    mutating func rest(for pause: Double) -> Double {
        // The rest of the plans waits for nothing.
        let pause = repair == nil ? pause : min(pause, Scheduler.shortestPause)
        watch.rest(for: pause)
        return pause
    }

    /// Notices what happened to the clocks, and mends some of the plans.
    ///
    /// - Returns: Whether the machine stood still since the last look.
    mutating func look(at now: Moment, _ store: SQLiteStore) async throws -> Bool {
        let change = watch.look(at: now)
        if !isStarted {
            noted = try store.lastSeenClock()
            if let noted { begin(setBack: ClockWatch.setBack(since: noted, at: now), at: now) }
            isStarted = true
        }
        if change.setBack > 0 { begin(setBack: change.setBack, at: now) }
        if repair != nil {
            try await mend(store, at: now)
        } else if ClockWatch.isOutdated(noted, at: now) {
            try await store.note(clock: now)
            noted = now
        }
        return change.isResumed
    }

    private mutating func begin(setBack: Double, at now: Moment) {
        guard setBack > 0 else { return }
        let known = repair?.setBack ?? 0
        repair = Repair(setBack: known + setBack, last: (now.wall, .max))
    }

    private mutating func mend(_ store: SQLiteStore, at now: Moment) async throws {
        guard var repair else { return }
        let hints = try store.due(after: repair.last, before: .distantFuture, limit: Self.batch)
        let plans = hints.compactMap { hint -> NewPlan? in
            guard let name = AccountName(hint.name), let old = hint.due,
                let account = try? store.account(named: name),
                let due = RefreshSchedule.replanned(account, at: now),
                abs(due.timeIntervalSince(old)) > 1
            else { return nil }
            return NewPlan(account: account, due: due)
        }
        if !plans.isEmpty { try await store.replan(plans) }
        guard hints.count == Self.batch, let last = hints.last, let due = last.due else {
            self.repair = nil
            return
        }
        repair.last = (due, last.number)
        self.repair = repair
    }
}
