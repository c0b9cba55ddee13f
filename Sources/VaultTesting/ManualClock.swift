public import FoundationEssentials
public import Platform

/// A clock that stands still until a test moves it.
///
/// Wall time and uptime move together with ``advance(by:)``; ``stepWall(by:)`` and ``reboot(off:)``
/// move what a machine can move alone.
public final class ManualClock: VaultClock {
    struct Sleeper: Sendable {
        let id: UInt64
        let wake: TimeInterval
        let continuation: CheckedContinuation<Void, any Error>
    }

    struct State: Sendable {
        var wall: Date
        var boot = 1
        var uptime: TimeInterval
        /// What sleepers count by: it never goes back, not even at a reboot.
        var elapsed: TimeInterval = 0
        var lastSleeper: UInt64 = 0
        var sleepers: [Sleeper] = []

        var moment: Moment { Moment(wall: wall, bootID: "boot-\(boot)", uptime: uptime) }

        /// Seconds until the next sleeper wakes; nil when nobody sleeps.
        var pause: TimeInterval? { sleepers.map { $0.wake - elapsed }.min() }

        mutating func advance(by seconds: TimeInterval) -> [Sleeper] {
            wall.addTimeInterval(seconds)
            uptime += seconds
            elapsed += seconds
            let due = sleepers.filter { $0.wake <= elapsed }
            sleepers.removeAll { $0.wake <= elapsed }
            return due.sorted { ($0.wake, $0.id) < ($1.wake, $1.id) }
        }
    }

    let state: Watched<State>

    /// A clock that shows some moment, the 1st of January 2030 a thousand seconds after a boot
    /// unless told.
    public init(
        wall: Date = Date(timeIntervalSince1970: 1_893_456_000),
        uptime: TimeInterval = 1000
    ) {
        state = Watched(State(wall: wall, uptime: uptime))
    }

    /// The moment it shows.
    public func now() -> Moment {
        state.value.moment
    }

    /// Sleeps until the clock has been moved that far, or the task is cancelled.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(seconds: TimeInterval) async throws {
        try Task.checkCancellation()
        guard seconds > 0 else { return }
        let id = state.update { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.update { state in
                    let wake = state.elapsed + seconds
                    state.sleepers.append(Sleeper(id: id, wake: wake, continuation: continuation))
                }
                // Cancelled before it stood in the list, where the handler found nothing.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Moves the clock on and wakes whoever has slept long enough, the earliest first.
    ///
    /// Everybody who wakes sees the time at the end, as after a machine's suspend.
    public func advance(by seconds: TimeInterval) {
        let due = state.update { $0.advance(by: seconds) }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Sets the wall clock forward, or back by a negative number, and nothing else.
    public func stepWall(by seconds: TimeInterval) {
        state.update { $0.wall.addTimeInterval(seconds) }
    }

    /// Boots the machine anew after it was off for some seconds, during which only the wall clock ran.
    ///
    /// The uptime starts at zero and belongs to another boot; sleepers sleep on.
    public func reboot(off seconds: TimeInterval = 30) {
        state.update { state in
            state.wall.addTimeInterval(seconds)
            state.boot += 1
            state.uptime = 0
        }
    }

    private func cancel(_ id: UInt64) {
        let sleeper = state.update { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else { return nil }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
