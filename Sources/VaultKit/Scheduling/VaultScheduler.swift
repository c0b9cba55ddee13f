internal import Platform

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
        let watch = scheduler.watchSystem()
        defer { watch?.cancel() }
        while true {
            try Task.checkCancellation()
            guard !refresher.isClosed else { throw CancellationError() }
            let began = clock.now()
            let pause = await scheduler.dispatch()
            // From when the round began: the machine may have been asleep in the middle of it.
            let left = pause - clock.now().seconds(since: began)
            if left > 0 { await schedulerWakeup.sleep(seconds: left, clock: clock) }
        }
    }
}
