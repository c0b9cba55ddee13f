internal import Platform
internal import VaultAccess
internal import VaultStore

/// Tells each change of an account's state once to every listener, whichever process made it.
///
/// The file is read without the hub's lock: it may take its time.
final class StateWatch: Sendable {
    /// Accounts looked at in one go.
    private static let page = 256
    /// Seconds between two looks at the file while somebody listens.
    private static let interval = 0.5

    let events: EventHub
    private let store: SQLiteStore
    private let clock: any VaultClock
    private let lastLook: Locked<Moment>

    init(store: SQLiteStore, events: EventHub, clock: any VaultClock) {
        self.store = store
        self.events = events
        self.clock = clock
        lastLook = Locked(clock.now())
    }

    /// Tells what has changed since; a store that cannot be read is asked again the next time.
    ///
    /// While nobody listens the changes are only counted: whoever comes next is told of what comes
    /// after.
    func tell() {
        guard events.hasListeners else {
            if let count = try? store.stateChangeCount() { events.skip(to: count) }
            return
        }
        let now = clock.now()
        lastLook.withLock { $0 = now }
        var place: StateChange.Place? = nil
        repeat {
            let known = events.lastChange
            guard
                let page = try? store.stateChanges(
                    after: place ?? .after(known),
                    limit: Self.page
                )
            else { return }
            events.publish(page, after: known)
            place = page.rest
        } while place != nil
    }

    // MARK: - Listeners

    /// A listener to whom everything is told from now on; nil when the vault is closed.
    ///
    /// The file is not read: the caller may be what draws a window. `unsaved` gives the accounts with a
    /// pair that is only in memory.
    func addListener(
        _ start: EventStart,
        unsaved: () -> [AccountName]
    ) -> EventHub.ListenerID? {
        guard let id = events.addListener(start) else { return nil }
        if case .states = start { events.tell(id, unsaved: unsaved()) }
        return id
    }

    /// The next event for a listener; nil when there will be none, or the task is cancelled.
    ///
    /// Away from the caller's actor: the file is read.
    @concurrent
    func next(for id: EventHub.ListenerID, looking: Bool) async -> VaultEvent? {
        while !Task.isCancelled {
            if events.isBeginning(id) { tell() }
            switch events.step(id) {
            case .tell(let event): return event
            case .read(let replay):
                let page = try? store.stateChanges(
                    after: replay.place,
                    upTo: replay.last,
                    withActive: replay.withActive,
                    limit: Self.page
                )
                events.take(page, of: replay, for: id)
                if page == nil { await pause(id, seconds: Self.interval) }
            case .wait where looking:
                if let seconds = secondsUntilLook() {
                    await pause(id, seconds: seconds)
                } else {
                    tell()
                }
            case .wait: await events.wakeup(of: id)?.wait()
            case nil: return nil
            }
        }
        return nil
    }

    /// How long to wait for the next look; nil when it is the caller who looks now.
    private func secondsUntilLook() -> Double? {
        let now = clock.now()
        return lastLook.withLock { last in
            let seconds = Self.interval - now.seconds(since: last)
            // More is a clock that was set back, which says nothing.
            if seconds > 0, seconds <= Self.interval { return seconds }
            last = now
            return nil
        }
    }

    private func pause(_ id: EventHub.ListenerID, seconds: Double) async {
        await events.wakeup(of: id)?.sleep(seconds: seconds, clock: clock)
    }
}
