internal import OAuth
internal import Platform
internal import VaultAccess

/// Threads for calls that block: some at a time, and the others wait in their order.
///
/// An account whose refresh hangs holds up those who ask for it. With a share of its own it holds up
/// nobody else: calls about other accounts pass by those that wait for a place in the share.
final class AgentThreads: Sendable {
    /// Calls at a time.
    static let limit = 64
    /// Calls about one account at a time.
    static let share = 16

    private struct State {
        var waiting: [AgentCall] = []
        var running: [AccountName?: Int] = [:]
        var threads = 0

        /// The first call that may run now.
        mutating func next() -> AgentCall? {
            let index = waiting.firstIndex { call in
                running[call.account, default: 0] < AgentThreads.share
            }
            guard let index else { return nil }
            let call = waiting.remove(at: index)
            running[call.account, default: 0] += 1
            return call
        }

        mutating func ended(_ call: AgentCall) {
            let left = running[call.account, default: 0] - 1
            running[call.account] = left > 0 ? left : nil
        }
    }

    private let state = Locked(State())

    /// Gives a call its turn.
    func add(_ call: AgentCall) {
        let first = state.withLock { state -> AgentCall? in
            state.waiting.append(call)
            guard state.threads < Self.limit, let next = state.next() else { return nil }
            state.threads += 1
            return next
        }
        guard let first else { return }
        do {
            try DedicatedThread.start { [self] in work(first) }
        } catch {
            end(first)
            first.end(
                .failure(
                    VaultError(
                        .busy,
                        account: first.account,
                        facts: [.reason: "no_thread", .found: error.description]
                    )
                )
            )
        }
    }

    /// Takes a call out that nobody waits for any more, if it still waits itself.
    func remove(_ call: AgentCall) {
        state.withLock { state in state.waiting.removeAll { $0 === call } }
    }

    /// One call after the other, as long as there are any.
    private func work(_ first: AgentCall) {
        var call: AgentCall? = first
        while let current = call {
            current.run()
            call = state.withLock { state in
                state.ended(current)
                guard let next = state.next() else {
                    state.threads -= 1
                    return nil
                }
                return next
            }
        }
    }

    private func end(_ call: AgentCall) {
        state.withLock { state in
            state.ended(call)
            state.threads -= 1
        }
    }
}
