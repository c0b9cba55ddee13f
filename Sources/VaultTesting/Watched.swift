internal import Platform

/// A value, and those who wait until it satisfies a condition of theirs.
final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let isSatisfied: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var value: Value
        var lastWaiter: UInt64 = 0
        var waiters: [UInt64: Waiter] = [:]

        mutating func takeSatisfied() -> [Waiter] {
            let satisfied = waiters.filter { $0.value.isSatisfied(value) }
            for id in satisfied.keys { waiters[id] = nil }
            return Array(satisfied.values)
        }
    }

    private let state: Locked<State>

    init(_ value: Value) {
        state = Locked(State(value: value))
    }

    /// The value as it is now.
    var value: Value { state.withLock { $0.value } }

    /// Changes the value and wakes whoever waited for what it became.
    func update<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        let (result, satisfied) = state.withLock { state in
            let result = body(&state.value)
            return (result, state.takeSatisfied())
        }
        for waiter in satisfied { waiter.continuation.resume() }
        return result
    }

    /// Waits until the value satisfies the condition.
    ///
    /// Throws `CancellationError` when the task is cancelled first.
    func wait(until isSatisfied: @escaping @Sendable (Value) -> Bool) async throws {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter(isSatisfied: isSatisfied, continuation: continuation)
                let satisfied = state.withLock { state in
                    state.waiters[id] = waiter
                    return state.takeSatisfied()
                }
                for waiter in satisfied { waiter.continuation.resume() }
                // Cancelled before it stood in the list, where the handler found nothing.
                if Task.isCancelled { dismiss(id) }
            }
        } onCancel: {
            dismiss(id)
        }
        try Task.checkCancellation()
    }

    private func dismiss(_ id: UInt64) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume()
    }
}
