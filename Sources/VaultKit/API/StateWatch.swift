internal import Platform
internal import VaultStore

/// Tells each change of an account's state once, whichever process made it.
final class StateWatch: Sendable {
    /// Changes read at a time.
    private static let page = 256

    private struct State {
        /// The last change that was told of, or is about to be.
        var lastTold: Int64
        /// Those still to be told, in their order.
        var news: [StateChange] = []
        /// Whether somebody is telling them; whoever finds more meanwhile leaves it to that one.
        var isTelling = false

        mutating func note(_ changes: [StateChange]) {
            for change in changes where change.number > lastTold {
                news.append(change)
                lastTold = change.number
            }
        }

        mutating func next() -> [StateChange] {
            defer { news = [] }
            isTelling = !news.isEmpty
            return news
        }
    }

    private let store: SQLiteStore
    private let events: EventHub
    private let state: Locked<State>

    init(store: SQLiteStore, events: EventHub) throws {
        self.store = store
        self.events = events
        state = Locked(State(lastTold: try store.stateChangeCount()))
    }

    /// Tells what has changed since; a store that cannot be read is asked again the next time.
    ///
    /// The file is read and the news told without the lock: either may take its time.
    func tell() {
        var last = lastTold()
        while let changes = try? store.stateChanges(after: last, limit: Self.page),
            let newest = changes.last
        {
            state.withLock { $0.note(changes) }
            last = newest.number
        }
        var news = state.withLock { $0.isTelling ? [] : $0.next() }
        while !news.isEmpty {
            for change in news { events.publish(Self.kind(change.state), of: change.name) }
            news = state.withLock { $0.next() }
        }
    }

    /// The last change that was told of, in a vault that may count anew: one that was restored where it
    /// could not be read.
    private func lastTold() -> Int64 {
        let last = state.withLock { $0.lastTold }
        guard let count = try? store.stateChangeCount(), count < last else { return last }
        return state.withLock { state in
            if state.lastTold == last { state.lastTold = count }
            return state.lastTold
        }
    }

    private static func kind(_ state: AccountState) -> VaultEvent.Kind {
        state == .signInNeeded ? .signInNeeded : .stateChanged(state)
    }
}
