internal import VaultAccess

/// Events that wait for a listener, the oldest first.
struct EventBacklog: Sendable {
    private var events: [VaultEvent] = []
    /// What is before has been taken.
    private var head = 0

    var count: Int { events.count - head }

    /// The accounts that changes of state wait to be told of.
    var changedAccounts: Set<AccountName> {
        Set(events[head...].lazy.filter { $0.position != nil }.compactMap(\.account))
    }

    /// The accounts that anything waits to be told of.
    var accounts: Set<AccountName> { Set(events[head...].lazy.compactMap(\.account)) }

    /// The first change of state among them.
    var firstPosition: VaultEvent.Position? {
        events[head...].lazy.compactMap(\.position).first
    }

    init() {}

    init(_ events: [VaultEvent]) {
        self.events = events
    }

    mutating func append(_ event: VaultEvent) {
        events.append(event)
    }

    mutating func popFirst() -> VaultEvent? {
        guard head < events.count else { return nil }
        defer {
            head += 1
            // Moving the rest once in so many keeps taking cheap and the memory bounded.
            if head == events.count || head >= 1024 {
                events.removeFirst(head)
                head = 0
            }
        }
        return events[head]
    }

    mutating func removeAll(where isGone: (VaultEvent) -> Bool) {
        events.removeFirst(head)
        head = 0
        events.removeAll(where: isGone)
    }
}
