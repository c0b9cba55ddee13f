internal import FoundationEssentials
internal import Platform
internal import VaultStore

/// A refresh that is running, and everybody who waits for it.
///
/// It goes on when a waiter is cancelled or its deadline passes: a pair that came back is stored
/// whether or not anybody still wants it.
final class Flight: Sendable {
    private struct State {
        var outcome: RefreshOutcome?
        var nextWaiter: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<RefreshOutcome?, Never>] = [:]
    }

    private let state = Locked(State())

    /// Waits for the outcome; nil when `deadline` passes first.
    ///
    /// Throws `CancellationError` when the waiting task is cancelled.
    func outcome(deadline: Double?, clock: any VaultClock) async throws -> RefreshOutcome? {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        let timer = deadline.map { deadline in
            Task { [weak self] in
                // Ends by itself, or is cancelled below once the outcome is there.
                try await clock.sleep(seconds: deadline)
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
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    private func add(
        _ continuation: CheckedContinuation<RefreshOutcome?, Never>,
        as id: UInt64
    ) {
        let outcome = state.withLock { state -> RefreshOutcome? in
            if let outcome = state.outcome { return outcome }
            state.waiters[id] = continuation
            return nil
        }
        if let outcome {
            continuation.resume(returning: outcome)
        } else if Task.isCancelled {
            // Cancelled before it stood in the list, where the handler found nothing.
            dismiss(id)
        }
    }

    private func dismiss(_ id: UInt64) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: nil)
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
