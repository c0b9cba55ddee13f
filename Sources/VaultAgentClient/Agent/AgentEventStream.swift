internal import Platform
internal import VaultAccess

/// One connection to the agent's stream of events.
///
/// Waiting for a line takes a thread, which none of Swift's is held for; what has come is given out
/// without one.
final class AgentEventStream: Sendable {
    /// Seconds without a line after which the agent is given up: three of its signs of life.
    private static let patience: Int32 = 45

    private enum State {
        case new
        case reading(AgentLines)
        case over
    }

    private let agent: VaultAgent
    private let target: String
    private let interruption = Interruption()
    private let state = Locked(State.new)

    init(_ agent: VaultAgent, after position: VaultEvent.Position?) {
        self.agent = agent
        target = "/v1/events" + (position.map { "?after=\(max($0.rawValue, 0))" } ?? "")
    }

    func next() async throws -> VaultEvent? {
        do {
            while let line = bufferedLine() {
                if let event = try event(in: line) { return event }
            }
            guard let event = try await waitForEvent(), !Task.isCancelled else {
                return end()
            }
            return event
        } catch {
            _ = end()
            // Breaking the connection off is how a wait is ended.
            guard !Task.isCancelled else { return nil }
            throw error
        }
    }

    private func end() -> VaultEvent? {
        state.withLock { $0 = .over }
        return nil
    }

    private func bufferedLine() -> String? {
        guard case .reading(let lines) = state.withLock({ $0 }) else { return nil }
        return lines.buffered()
    }

    private func waitForEvent() async throws -> VaultEvent? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<VaultEvent?, any Error>) in
                do {
                    try DedicatedThread.start { [self] in
                        continuation.resume(with: Result { try readEvent() })
                    }
                } catch {
                    let facts = [VaultError.Fact.reason: "no_thread", .found: "\(error)"]
                    continuation.resume(throwing: VaultError(.busy, facts: facts))
                }
            }
        } onCancel: {
            interruption.raise()
        }
    }

    /// The next event, on a thread that may wait; nil after the end.
    private func readEvent() throws -> VaultEvent? {
        do {
            guard let lines = try opened() else { return nil }
            while let line = try lines.next() {
                if let event = try event(in: line) { return event }
            }
            // Without its last line it broke off.
            throw AgentConnection.Failure.broken(nil)
        } catch let failure as AgentConnection.Failure {
            throw VaultError(agent: failure, at: agent.location)
        }
    }

    private func opened() throws -> AgentLines? {
        switch state.withLock({ $0 }) {
        case .over: return nil
        case .reading(let lines): return lines
        case .new: break
        }
        try agent.location.checkDirectory()
        let lines = try AgentConnection(
            directory: agent.location.directory,
            socketName: VaultLocation.socketName
        ).lines(target, timeout: Self.patience, interruption: interruption)
        guard try lines.status() == 200 else { throw try refusal(lines) }
        state.withLock { $0 = .reading(lines) }
        return lines
    }

    /// Why there is no stream.
    private func refusal(_ lines: AgentLines) throws(AgentConnection.Failure) -> VaultError {
        // An error document is one line, whose end is the connection's.
        let text = try lines.rest()
        guard let document = try? WireJSON.decode(ErrorDocument.self, from: Array(text.utf8)) else {
            throw .malformedAnswer
        }
        return VaultError(document.error)
    }

    /// The event in a line; nil for a sign of life, and for what only a newer agent knows.
    ///
    /// - Throws: `VaultError` for the last line, which says why it is that.
    private func event(in line: String) throws -> VaultEvent? {
        guard let document = try? WireJSON.decode(EventDocument.self, from: Array(line.utf8)) else {
            throw VaultError(agent: .malformedAnswer, at: agent.location)
        }
        guard !document.isLast else {
            guard document.reason == EventDocument.locked else {
                throw VaultError(agent: .notRunning, at: agent.location)
            }
            throw VaultError(.locked)
        }
        return VaultEvent(document)
    }
}
