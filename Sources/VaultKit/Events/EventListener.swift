internal import VaultAccess
internal import VaultStore

/// What one listener has been told, and what is still to be told to it.
///
/// Told in this order: what is read of the file up to some number, then the mark of what was missed,
/// then what happened since. The numbers of the changes rise throughout, so a listener that keeps the
/// last one misses nothing.
struct EventListener: Sendable {
    /// Events that wait for a listener; what one that does not keep up misses is the oldest.
    static let kept = 1024

    /// What a listener does next.
    enum Step: Sendable {
        case tell(VaultEvent)
        case read(Replay)
        case wait
    }

    let wakeup = Wakeup()
    /// Changes that were read of the file.
    private var page = EventBacklog()
    private var replay: Replay?
    /// Whether events were dropped between the replay and the backlog.
    private var hasMissed = false
    private var backlog = EventBacklog()
    /// The number of the last change that was told, or that is no news.
    private var told: Int64 = 0
    /// Whether the file has not been read since the listener came.
    ///
    /// What other processes wrote before it came and after the last look is told apart from what they
    /// write later by nobody: all of it is news, but for accounts that are well.
    private(set) var isBeginning = true
    /// Changes up to this number are left to the replay.
    private var left: Int64 = 0

    init(_ start: EventStart, lastChange: Int64) {
        switch start {
        case .states: replay = .standing(upTo: lastChange)
        case .after(let position):
            told = position.rawValue
            replay = Replay(
                place: .after(told),
                last: lastChange,
                withActive: true,
                isKept: true
            )
        case .now:
            told = lastChange
            isBeginning = false
        }
    }

    mutating func append(_ event: VaultEvent) {
        if event.position != nil || event.kind == .removed {
            // What was read of this account is old.
            page.removeAll { $0.account == event.account }
        }
        backlog.append(event)
        guard backlog.count > Self.kept else { return }
        _ = backlog.popFirst()
        hasMissed = true
    }

    /// Takes changes in their order, as they were read; `isWhole` says that there are no more.
    mutating func take(_ changes: [StateChange], isWhole: Bool, total: Int64) {
        let known = isBeginning ? begin(isWhole: isWhole, total: total) : nil
        for change in changes where change.number > left {
            // Nobody told it that this account was anything else.
            if let known, change.state == .active, !known.contains(change.name) { continue }
            append(VaultEvent(change))
        }
    }

    /// The first look: few changes are news, in their order, and many are left to the replay, so that
    /// what happened before nobody kept up with makes no gap.
    ///
    /// - Returns: The accounts that something happened to since the listener came.
    private mutating func begin(isWhole: Bool, total: Int64) -> Set<AccountName> {
        isBeginning = false
        if !isWhole || replay?.withActive == true {
            replay?.last = total
            left = total
        }
        return backlog.accounts
    }

    /// Tells of the pairs that are only in memory.
    mutating func tell(unsaved accounts: [AccountName]) {
        let known = backlog.accounts
        for account in accounts where !known.contains(account) {
            backlog.append(VaultEvent(account: account, kind: .notSaved))
        }
    }

    /// Begins anew, in a vault that counts its changes anew.
    mutating func restart(lastChange: Int64) {
        left = 0
        guard !isBeginning else {
            isBeginning = false
            replay?.last = lastChange
            left = lastChange
            return
        }
        page = EventBacklog()
        backlog = EventBacklog()
        replay = nil
        hasMissed = true
        told = 0
    }

    /// The next step; `lastChange` is the last that was handed to all listeners.
    mutating func step(lastChange: Int64) -> Step {
        if let event = page.popFirst() { return tell(event) }
        if let replay { return .read(replay) }
        if hasMissed {
            hasMissed = false
            let last = backlog.firstPosition.map { $0.rawValue - 1 } ?? lastChange
            if last > told {
                replay = Replay(place: .after(told), last: last, withActive: true)
            }
            return .tell(VaultEvent(account: nil, kind: .missed))
        }
        while let event = backlog.popFirst() {
            guard let position = event.position, position.rawValue <= told else {
                return tell(event)
            }
        }
        return .wait
    }

    private mutating func tell(_ event: VaultEvent) -> Step {
        if let position = event.position { told = max(told, position.rawValue) }
        return .tell(event)
    }

    /// Takes what was read for a replay, unless another did meanwhile.
    mutating func take(_ read: StateChangePage, of replay: Replay) {
        guard self.replay == replay else { return }
        guard !replay.isKept || replay.place.number <= read.total else {
            told = 0
            self.replay = .standing(upTo: replay.last)
            return
        }
        let outdated = backlog.changedAccounts
        page = EventBacklog(
            read.changes.filter { !outdated.contains($0.name) }.map(VaultEvent.init)
        )
        if let rest = read.rest {
            self.replay?.place = rest
            self.replay?.isKept = false
        } else {
            self.replay = nil
            told = max(told, replay.last)
        }
    }

    /// Leaves untold what would have to be read: the vault is closed.
    mutating func cut() {
        guard replay != nil else { return }
        replay = nil
        hasMissed = false
        backlog = EventBacklog()
    }
}

extension VaultEvent {
    init(_ change: StateChange) {
        self.init(
            account: change.name,
            kind: change.state == .signInNeeded ? .signInNeeded : .stateChanged(change.state),
            position: change.number > 0 ? Position(rawValue: change.number) : nil
        )
    }
}
