internal import FoundationEssentials
internal import Platform
internal import VaultStore

/// A refresh that is running, and everybody who waits for it.
///
/// It goes on when a waiter is cancelled or its deadline passes: a pair that came back is stored
/// whether or not anybody still wants it.
final class Flight: Sendable {
    private enum Waiter {
        /// On its way: it has a number and no continuation yet.
        case coming
        case waiting(CheckedContinuation<RefreshOutcome?, Never>)
    }

    private struct State {
        var outcome: RefreshOutcome?
        var lastWaiter: UInt64 = 0
        var waiters: [UInt64: Waiter] = [:]
    }

    /// Seconds that nobody waits longer than: a clock cannot sleep for any number.
    private static let longestWait = 86_400.0

    private let state = Locked(State())

    /// Waits for the outcome; nil when `deadline` passes first.
    ///
    /// Throws `CancellationError` when the waiting task is cancelled.
    func outcome(deadline: Double?, clock: any VaultClock) async throws -> RefreshOutcome? {
        let id = state.withLock { state in
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = .coming
            return state.lastWaiter
        }
        let timer = deadline.map { deadline in
            Task { [weak self] in
                // Ends by itself, or is cancelled below once the outcome is there.
                let wait = deadline > 0 ? min(deadline, Self.longestWait) : 0
                try await clock.sleep(seconds: wait)
                self?.dismiss(id)
            }
        }
        defer { timer?.cancel() }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                add(continuation, as: id)
            }
        } onCancel: {
            dismiss(id)
        }
        if outcome == nil { try Task.checkCancellation() }
        return outcome
    }

    /// Gives the outcome to all waiters, now and later.
    func finish(_ outcome: RefreshOutcome) {
        let waiters = state.withLock { state in
            state.outcome = outcome
            let waiters = Array(state.waiters.values)
            state.waiters = [:]
            return waiters
        }
        for case .waiting(let waiter) in waiters { waiter.resume(returning: outcome) }
    }

    private func add(
        _ continuation: CheckedContinuation<RefreshOutcome?, Never>,
        as id: UInt64
    ) {
        let (waits, outcome) = state.withLock { state in
            // Dismissed, or served, before it came to wait.
            guard state.waiters[id] != nil, state.outcome == nil else {
                return (false, state.outcome)
            }
            state.waiters[id] = .waiting(continuation)
            return (true, nil)
        }
        if !waits { continuation.resume(returning: outcome) }
    }

    private func dismiss(_ id: UInt64) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
        if case .waiting(let waiter) = waiter { waiter.resume(returning: nil) }
    }
}

/// What a refresh came to.
enum RefreshOutcome: Sendable {
    /// A new pair is stored.
    case refreshed(StoredAccount)
    /// Somebody else had stored one.
    case adopted(StoredAccount)
    /// A new pair came back and is only in memory: it is served once the old token is dead.
    case notSaved(old: StoredAccount, new: StoredAccount)
    /// There is no new pair; the account as it is now, unless even that could not be read.
    case failed(VaultError, StoredAccount?)
}
