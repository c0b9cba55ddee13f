internal import Platform
package import VaultAccess

/// A stream of a vault's events that also tells of silence, for somebody who passes them on.
package final class EventFeed: Sendable {
    /// What is next.
    package enum Next: Sendable {
        case event(VaultEvent)
        /// Nothing happened for as long as was asked.
        case silence
        /// The vault is closed, or the task was cancelled.
        case end
    }

    private let watch: StateWatch
    private let id: EventHub.ListenerID?
    private let clock: any VaultClock

    fileprivate init(_ vault: Vault, _ start: EventStart) {
        watch = vault.states
        clock = vault.clock
        id = watch.addListener(start) { vault.refresher.unsavedAccounts }
    }

    deinit {
        if let id { watch.events.removeListener(id) }
    }

    /// The next event within some seconds.
    @concurrent
    package func next(within seconds: Double) async -> Next {
        guard let id else { return .end }
        return await withTaskGroup(of: Next.self) { group in
            group.addTask { [watch] in
                await watch.next(for: id, looking: true).map(Next.event) ?? .end
            }
            group.addTask { [clock] in
                try? await clock.sleep(seconds: seconds)
                return .silence
            }
            let first = await group.next() ?? .end
            group.cancelAll()
            // An event that came in the last moment was taken out of the stream.
            let second = await group.next() ?? .end
            if Task.isCancelled { return .end }
            if case .silence = first, case .event = second { return second }
            return first
        }
    }
}

extension Vault {
    /// The events that ``events`` gives, or those that ``events(after:)`` gives where a position is
    /// told.
    package func eventFeed(after position: VaultEvent.Position?) -> EventFeed {
        EventFeed(self, position.map { .after($0) } ?? .states)
    }
}
