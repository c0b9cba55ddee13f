internal import Platform
public import VaultAccess

/// What happens to the accounts of a vault, for a loop that ends when the vault is closed.
///
/// Its first iterator is told of what happened since it was made, every other of what happens since
/// that one was.
public struct VaultEvents: AsyncSequence, Sendable {
    /// What it gives.
    public typealias Element = VaultEvent
    /// It never fails.
    public typealias Failure = Never

    private let watch: StateWatch
    private let start: EventStart
    private let unsaved: @Sendable () -> [AccountName]
    private let first: FirstSubscription

    /// `unsaved` gives the accounts with a pair that is only in memory.
    init(
        _ watch: StateWatch,
        _ start: EventStart,
        unsaved: @escaping @Sendable () -> [AccountName]
    ) {
        self.watch = watch
        self.start = start
        self.unsaved = unsaved
        first = FirstSubscription(Subscription(watch, start, unsaved))
    }

    /// A stream of its own.
    public func makeAsyncIterator() -> Iterator {
        Iterator(subscription: first.take() ?? Subscription(watch, start, unsaved))
    }

    /// One stream of events.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: Subscription

        /// The next event; nil when the vault is closed or gone, or the task cancelled.
        ///
        /// The vault's file is read away from the caller's actor.
        public mutating func next() async -> VaultEvent? {
            await subscription.next()
        }

        /// The next event; nil when the vault is closed or gone, or the task cancelled.
        ///
        /// The vault's file is read away from the caller's actor.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> VaultEvent? {
            await subscription.next()
        }
    }
}

/// Listens as long as it exists.
private final class Subscription: Sendable {
    private let watch: StateWatch
    private let id: EventHub.ListenerID?
    private let isLooking: Bool

    init(_ watch: StateWatch, _ start: EventStart, _ unsaved: () -> [AccountName]) {
        self.watch = watch
        id = watch.addListener(start, unsaved: unsaved)
        if case .now = start { isLooking = false } else { isLooking = true }
    }

    deinit {
        if let id { watch.events.removeListener(id) }
    }

    func next() async -> VaultEvent? {
        guard let id else { return nil }
        return await watch.next(for: id, looking: isLooking)
    }
}

/// The stream that began when the sequence was made, for the first who iterates.
private final class FirstSubscription: Sendable {
    private let subscription: Locked<Subscription?>

    init(_ subscription: Subscription) {
        self.subscription = Locked(subscription)
    }

    func take() -> Subscription? {
        subscription.withLock { subscription in
            defer { subscription = nil }
            return subscription
        }
    }
}

extension Vault {
    /// What happens to the accounts, beginning with those that are not well now.
    ///
    /// This is the one place where a program shows its login screen:
    ///
    /// ```swift
    /// for await event in vault.events where event.kind == .signInNeeded {
    ///     if let account = event.account { showLogin(for: account) }
    /// }
    /// ```
    ///
    /// Each call gives a stream of its own. It tells first of every account in another state than
    /// `active`, and then of what happens, in this process and in every other: a dead grant is told
    /// once to each stream, also to one that begins later or in a program that starts later. An
    /// account that is signed in again before its turn comes is not told of as dead.
    ///
    /// The states are those of the vault's file, and to them comes ``VaultEvent/Kind/notSaved`` of
    /// each account whose new pair is only in this process's memory. What ``account(_:)`` finds out by
    /// looking is not told at the start: a pair that is only in another process's memory, and
    /// `outcomeUnknown` of a refresh whose process died, until somebody refreshes the account. An
    /// account that cannot be renewed comes to its end, which is told, where somebody asks for its
    /// token or a scheduler runs: the agent's, or ``runScheduler()``.
    ///
    /// Reading this property reads no file, and so never waits. The file is read by the first `next`
    /// or the first change that this process makes. What happens from here on is not missed: what this
    /// process does is told whole and in order, and of what other processes do before the file is
    /// read, every account that is not well by then.
    ///
    /// While somebody waits for an event the vault looks twice a second at what other processes did.
    /// A listener for whom more than 1,024 events wait loses the oldest: it is told
    /// ``VaultEvent/Kind/missed`` in their place and then the changes of state among them, so a
    /// sign-in needed is never lost. A file that cannot be read at the moment delays what it holds.
    ///
    /// A stream ends when the task is cancelled, when the vault is closed, or when the last reference
    /// to the vault goes: a stream keeps no vault open. What had happened by then is still told; of
    /// states that have yet to be read from the file no more than 256, and if it cannot be read none.
    /// A stream of a closed vault ends at once.
    public var events: VaultEvents { events(.states) }

    /// What happens to the accounts after something that the program has dealt with.
    ///
    /// Begins with the accounts whose state changed after `position`, also those that are well again,
    /// and goes on as ``events`` does. A program that stores the position of each event it has dealt
    /// with misses no change of state while it does not run.
    ///
    /// A position is a number of this very vault. In one that was deleted and made anew at the same
    /// place it means another change, or none: a program that makes a vault forgets the positions
    /// that it keeps.
    ///
    /// - Parameter position: That of the last event dealt with. One above every number that the vault
    ///   has given out is as none: then this is the same as ``events``.
    /// - Returns: A stream, as ``events`` gives one.
    public func events(after position: VaultEvent.Position) -> VaultEvents {
        events(.after(position))
    }

    /// What happens from now on, as far as this process learns of it: nothing is looked for.
    package var newEvents: VaultEvents { events(.now) }

    private func events(_ start: EventStart) -> VaultEvents {
        VaultEvents(states, start) { [refresher] in refresher.unsavedAccounts }
    }
}
