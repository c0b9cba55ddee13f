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
        case .now: told = lastChange
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

    /// Begins anew, in a vault that counts its changes anew.
    mutating func restart() {
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
