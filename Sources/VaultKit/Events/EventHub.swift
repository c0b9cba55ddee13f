internal import Platform
internal import VaultAccess
internal import VaultStore

/// Hands each event to everybody who listens.
final class EventHub: Sendable {
    typealias ListenerID = UInt64

    private struct State {
        /// The number of the last change of state that everybody was handed.
        var lastChange: Int64
        var lastListener: ListenerID = 0
        var listeners: [ListenerID: EventListener] = [:]
        var isFinished = false

        mutating func append(_ event: VaultEvent) {
            change { $0.append(event) }
        }

        /// Changes every listener in its place.
        mutating func change(_ body: (inout EventListener) -> Void) {
            // An array, for the collection of the indices holds on to the dictionary: each event would
            // copy it with every backlog.
            for index in Array(listeners.indices) { body(&listeners.values[index]) }
        }

        var wakeups: [Wakeup] { listeners.values.map(\.wakeup) }
    }

    private let state: Locked<State>

    /// `lastChange` is the number of the last change of state that is no news.
    init(lastChange: Int64) {
        state = Locked(State(lastChange: lastChange))
    }

    /// The number of the last change of state that everybody was handed.
    var lastChange: Int64 { state.withLock { $0.lastChange } }

    var hasListeners: Bool { state.withLock { !$0.listeners.isEmpty } }

    // MARK: - Events

    func publish(_ kind: VaultEvent.Kind, of account: AccountName) {
        let wakeups = state.withLock { state in
            state.append(VaultEvent(account: account, kind: kind))
            return state.wakeups
        }
        for wakeup in wakeups { wakeup.wake() }
    }

    /// Hands on the changes that were read after the change numbered `known`, unless another reader
    /// was quicker.
    ///
    /// A vault that counts fewer changes than were known before it was read counts anew.
    func publish(_ page: StateChangePage, after known: Int64) {
        let wakeups = state.withLock { state -> [Wakeup] in
            let before = state.lastChange
            if page.total < known {
                guard state.lastChange == known else { return [] }
                state.lastChange = page.total
                state.change { $0.restart(lastChange: page.total) }
                return state.wakeups
            }
            let changes = page.changes.filter { $0.number > before }
            state.change { $0.take(changes, isWhole: page.rest == nil, total: page.total) }
            state.lastChange = changes.last?.number ?? before
            return state.lastChange > before ? state.wakeups : []
        }
        for wakeup in wakeups { wakeup.wake() }
    }

    /// Passes over the changes so far: nobody listens.
    func skip(to lastChange: Int64) {
        state.withLock { state in
            if state.listeners.isEmpty { state.lastChange = lastChange }
        }
    }

    /// Nothing happens any more; what has is still told.
    func finish() {
        let wakeups = state.withLock { state in
            state.isFinished = true
            return state.wakeups
        }
        for wakeup in wakeups { wakeup.wake() }
    }

    // MARK: - Listeners

    /// A new listener; nil when nothing happens any more.
    ///
    /// It is told of what is published from now on, and of what the file holds once that is read.
    func addListener(_ start: EventStart) -> ListenerID? {
        state.withLock { state in
            guard !state.isFinished else { return nil }
            state.lastListener += 1
            state.listeners[state.lastListener] = EventListener(
                start,
                lastChange: state.lastChange
            )
            return state.lastListener
        }
    }

    func removeListener(_ id: ListenerID) {
        // Its events go without the lock.
        _ = state.withLock { $0.listeners.removeValue(forKey: id) }
    }

    /// What wakes a listener.
    func wakeup(of id: ListenerID) -> Wakeup? {
        state.withLock { $0.listeners[id]?.wakeup }
    }

    /// Whether a listener has yet to be told what the file held when it came.
    func isBeginning(_ id: ListenerID) -> Bool {
        state.withLock { $0.listeners[id]?.isBeginning ?? false }
    }

    /// Tells a listener of the pairs that are only in memory, unless it was told since.
    func tell(_ id: ListenerID, unsaved accounts: [AccountName]) {
        state.withLock { $0.listeners[id]?.tell(unsaved: accounts) }
    }

    /// What a listener does next; nil when it has been told everything there will be.
    func step(_ id: ListenerID) -> EventListener.Step? {
        state.withLock { state in
            guard let step = state.listeners[id]?.step(lastChange: state.lastChange) else {
                return nil
            }
            if case .wait = step, state.isFinished { return nil }
            return step
        }
    }

    /// Gives a listener what was read for its replay; nil when it could not be.
    ///
    /// After the end one page is all that is read, so that the end comes soon.
    func take(_ page: StateChangePage?, of replay: Replay, for id: ListenerID) {
        state.withLock { state in
            if let page { state.listeners[id]?.take(page, of: replay) }
            if state.isFinished { state.listeners[id]?.cut() }
        }
    }
}
