internal import Platform
internal import VaultAccess

/// One call of the agent: waits for its turn and for its answer, and is given up at any moment.
final class AgentCall: Sendable {
    typealias Outcome = Result<AgentAnswer, any Error>

    private enum State {
        case new
        case awaited(CheckedContinuation<AgentAnswer, any Error>)
        case ended(Outcome)
    }

    /// The account it is about.
    let account: AccountName?
    private let work: @Sendable (Interruption) throws -> AgentAnswer
    private let interruption = Interruption()
    private let state = Locked(State.new)

    init(
        about account: AccountName?,
        _ work: @escaping @Sendable (Interruption) throws -> AgentAnswer
    ) {
        self.account = account
        self.work = work
    }

    /// The answer, once it is there.
    ///
    /// - Throws: What the work throws; what it was given up with; `CancellationError` when the task is
    ///   cancelled.
    func answer(from threads: AgentThreads) async throws -> AgentAnswer {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if let outcome = begin(continuation) {
                    continuation.resume(with: outcome)
                } else {
                    threads.add(self)
                }
            }
        } onCancel: {
            giveUp(CancellationError(), from: threads)
        }
    }

    /// Ends the wait at once, and the connection that it may have come to.
    func giveUp(_ error: any Error, from threads: AgentThreads) {
        end(.failure(error))
        threads.remove(self)
        interruption.raise()
    }

    /// Does the work on the thread that calls, unless nobody waits for it any more.
    func run() {
        let isAwaited = state.withLock { state in
            guard case .awaited = state else { return false }
            return true
        }
        guard isAwaited else { return }
        end(Result { try work(interruption) })
    }

    /// Ends the wait; only the first end counts.
    func end(_ outcome: Outcome) {
        let continuation = state.withLock { state -> CheckedContinuation<AgentAnswer, any Error>? in
            switch state {
            case .ended: return nil
            case .new:
                state = .ended(outcome)
                return nil
            case .awaited(let continuation):
                state = .ended(.failure(CancellationError()))
                return continuation
            }
        }
        continuation?.resume(with: outcome)
    }

    /// How it ended, where it was given up before it began.
    private func begin(_ continuation: CheckedContinuation<AgentAnswer, any Error>) -> Outcome? {
        state.withLock { state in
            if case .ended(let outcome) = state { return outcome }
            state = .awaited(continuation)
            return nil
        }
    }
}
