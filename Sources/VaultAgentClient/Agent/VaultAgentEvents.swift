internal import Platform
public import VaultAccess

/// What happens to the accounts of an agent's vault, for a loop that ends with an error when there is
/// nothing more to be told.
///
/// Each iterator is a connection of its own, which is made by its first `next` and ends with it.
public struct VaultAgentEvents: AsyncSequence, Sendable {
    /// What it gives.
    public typealias Element = VaultEvent
    /// It fails when the agent ends, and when the vault is locked.
    public typealias Failure = any Error

    private let agent: VaultAgent
    private let position: VaultEvent.Position?

    init(_ agent: VaultAgent, after position: VaultEvent.Position?) {
        self.agent = agent
        self.position = position
    }

    /// A stream of its own.
    public func makeAsyncIterator() -> Iterator {
        Iterator(stream: AgentEventStream(agent, after: position))
    }

    /// One stream of events.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let stream: AgentEventStream

        /// The next event; nil when the task is cancelled, and after an error.
        ///
        /// - Throws: `VaultError`: `locked` and `no_agent` for the end of what there is to be told,
        ///   `busy` for an agent that has too many listeners, or that has said nothing for 45
        ///   seconds, and those of every other call.
        public mutating func next() async throws -> VaultEvent? {
            try await stream.next()
        }
    }
}

extension VaultAgent {
    /// What happens to the accounts, beginning with those that are not well now.
    ///
    /// The events are those of an open vault, which the agent passes on: what this process does not
    /// keep up with is told as `missed`, and the changes of state among it follow.
    ///
    /// The stream fails with `locked` when the vault is locked, and with `no_agent` when the agent
    /// ends. A program that stores the position of each event it has dealt with goes on from there
    /// with ``events(after:)``, once it has waited a while:
    ///
    /// ```swift
    /// while !Task.isCancelled {
    ///     do {
    ///         for try await event in agent.events(after: position) {
    ///             await deal(with: event)
    ///             position = event.position ?? position
    ///         }
    ///     } catch {
    ///         try await Task.sleep(for: .seconds(5))
    ///     }
    /// }
    /// ```
    public var events: VaultAgentEvents { VaultAgentEvents(self, after: nil) }

    /// What happens to the accounts after something that the program has dealt with.
    ///
    /// - Parameter position: That of the last event dealt with; one of another vault is as none.
    /// - Returns: A stream, as ``events`` gives one.
    public func events(after position: VaultEvent.Position) -> VaultAgentEvents {
        VaultAgentEvents(self, after: position)
    }
}
