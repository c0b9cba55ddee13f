internal import Platform
internal import VaultStore

/// Tells each change of an account's state once, whichever process made it.
final class StateWatch: Sendable {
    /// Changes read at a time.
    private static let page = 256

    private let store: SQLiteStore
    private let events: EventHub
    /// The last change that was told of; held while others are, so that they come in their order.
    private let lastTold: Locked<Int64>

    init(store: SQLiteStore, events: EventHub) throws {
        self.store = store
        self.events = events
        lastTold = Locked(try store.stateChangeCount())
    }

    /// Tells what has changed since; a store that cannot be read is asked again the next time.
    func tell() {
        lastTold.withLock { lastTold in
            while let changes = try? store.stateChanges(after: lastTold, limit: Self.page),
                let last = changes.last
            {
                for change in changes { events.publish(Self.kind(change.state), of: change.name) }
                lastTold = last.number
            }
            // A vault that was restored counts anew.
            if let count = try? store.stateChangeCount(), count < lastTold { lastTold = count }
        }
    }

    private static func kind(_ state: AccountState) -> VaultEvent.Kind {
        state == .signInNeeded ? .signInNeeded : .stateChanged(state)
    }
}
