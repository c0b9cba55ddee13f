public import FoundationEssentials

/// Moving a clock in step with code that sleeps on it.
extension ManualClock {
    /// The number of sleeps going on.
    public var sleeperCount: Int { state.value.sleepers.count }

    /// Seconds until the next sleeper wakes; nil when nobody sleeps.
    public var secondsUntilNextWake: TimeInterval? { state.value.pause }

    /// Waits until so many sleeps are going on.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func waitForSleepers(_ count: Int) async throws {
        try await state.wait { $0.sleepers.count >= count }
    }

    /// Waits until somebody sleeps who is to wake within so many seconds.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func waitForSleeper(within seconds: TimeInterval) async throws {
        try await state.wait { state in state.pause.map { $0 <= seconds } ?? false }
    }

    /// Moves the clock to the next wake if that is at most so many seconds away.
    ///
    /// - Returns: Whether it was.
    @discardableResult
    public func advanceToNextWake(within seconds: TimeInterval) -> Bool {
        let due = state.update { state -> [Sleeper]? in
            guard let pause = state.pause, pause <= seconds else { return nil }
            return state.advance(by: pause)
        }
        for sleeper in due ?? [] { sleeper.continuation.resume() }
        return due != nil
    }

    /// Runs `body` while every sleep of at most so many seconds passes at once.
    ///
    /// What polls goes on polling, what waits for long stays asleep.
    public func passingSleeps<Result: Sendable>(
        within seconds: TimeInterval,
        during body: () async throws -> Result
    ) async rethrows -> Result {
        let driver = Task {
            // Ends when `body` has: it is cancelled below.
            while true {
                try await waitForSleeper(within: seconds)
                advanceToNextWake(within: seconds)
                await Task.yield()
            }
        }
        defer { driver.cancel() }
        return try await body()
    }
}
