internal import Platform

/// Wakes the loops that sleep until the next thing is due.
///
/// A wake that nobody waits for is kept, for the first who comes.
final class Wakeup: Sendable {
    private struct State {
        var isPending = false
        var newsCount: UInt64 = 0
        var sleepers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// Whether somebody sleeps, and nothing has happened to wake them.
    var isAwaited: Bool { state.withLock { !$0.isPending && !$0.sleepers.isEmpty } }

    /// Grows with everything that may have changed what is due.
    var newsCount: UInt64 { state.withLock { $0.newsCount } }

    /// - Parameter isNews: Whether what is due may have changed, and not only who is at work.
    func wake(isNews: Bool = true) {
        let sleepers = state.withLock { state in
            if isNews { state.newsCount += 1 }
            state.isPending = state.sleepers.isEmpty
            defer { state.sleepers = [] }
            return state.sleepers
        }
        for sleeper in sleepers { sleeper.resume() }
    }

    /// Sleeps until somebody wakes it, the time is over, or the task is cancelled.
    func sleep(seconds: Double, clock: any VaultClock) async {
        let timer = Task {
            // Cancelled below as soon as the sleep is over.
            try await clock.sleep(seconds: seconds)
            wake(isNews: false)
        }
        defer { timer.cancel() }
        await wait()
    }

    /// Sleeps until somebody wakes it, or the task is cancelled.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isAwake = state.withLock { state in
                    if state.isPending || Task.isCancelled {
                        state.isPending = false
                        return true
                    }
                    state.sleepers.append(continuation)
                    return false
                }
                if isAwake { continuation.resume() }
            }
        } onCancel: {
            wake(isNews: false)
        }
    }
}
