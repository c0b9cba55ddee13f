package import FoundationEssentials
package import VaultAccess

/// One line of the agent's stream of events.
package struct EventDocument: Codable, Sendable, Equatable {
    /// What happened; `alive` where nothing did, and `closed` in the last line.
    package let kind: String
    package var account: String?
    package var generation: UInt64?
    package var expiresAt: Date?
    package var grantEndsAt: Date?
    package var state: String?
    package var code: String?
    /// What to go on from after this line.
    package var position: Int64?
    /// Why there are no more.
    package var reason: String?

    /// The vault was locked.
    package static let locked = "locked"
    /// The agent ends.
    package static let stopping = "stopping"

    /// Says that both sides are still there.
    package static let alive = EventDocument(kind: "alive")

    /// The last line.
    package static func closed(_ reason: String) -> EventDocument {
        var document = EventDocument(kind: "closed")
        document.reason = reason
        return document
    }

    private init(kind: String) {
        self.kind = kind
    }
}

extension EventDocument {
    /// An event as it goes over the socket.
    package init(_ event: VaultEvent) {
        self.init(kind: event.kind.name)
        account = event.account?.text
        position = event.position?.rawValue
        switch event.kind {
        case .refreshed(let generation, let expiry):
            self.generation = generation
            expiresAt = expiry
        case .adopted(let generation), .signedIn(let generation): self.generation = generation
        case .grantEnds(let date): grantEndsAt = date
        case .refreshFailed(let code): self.code = code.rawValue
        case .stateChanged(let state): self.state = state.rawValue
        case .signInNeeded, .notSaved, .removed, .missed: break
        }
    }

    /// Whether it is the last line.
    package var isLast: Bool { kind == "closed" }
}

extension VaultEvent {
    /// An event as it came over the socket; nil for a line that is none, or one of a kind that only a
    /// newer agent knows.
    package init?(_ document: EventDocument) {
        guard let kind = Kind(document) else { return nil }
        let account = document.account.flatMap { AccountName($0) }
        guard account != nil || kind == .missed else { return nil }
        self.init(
            account: account,
            kind: kind,
            position: document.position.map { Position(rawValue: $0) }
        )
    }
}

extension VaultEvent.Kind {
    /// The name in every JSON document of the vault.
    package var name: String {
        switch self {
        case .refreshed: "refreshed"
        case .adopted: "adopted"
        case .refreshFailed: "refresh_failed"
        case .signInNeeded: "sign_in_needed"
        case .grantEnds: "grant_ends"
        case .stateChanged: "state_changed"
        case .notSaved: "not_saved"
        case .signedIn: "signed_in"
        case .removed: "removed"
        case .missed: "missed"
        }
    }

    fileprivate init?(_ document: EventDocument) {
        switch (document.kind, document.generation) {
        case ("refreshed", let generation?):
            self = .refreshed(generation: generation, expiry: document.expiresAt)
        case ("adopted", let generation?): self = .adopted(generation: generation)
        case ("signed_in", let generation?): self = .signedIn(generation: generation)
        case ("refresh_failed", _):
            guard let code = document.code else { return nil }
            self = .refreshFailed(VaultError.Code(rawValue: code))
        case ("state_changed", _):
            guard let state = document.state else { return nil }
            // As in a file: what is not understood is for a person to look at.
            self = .stateChanged(AccountState(rawValue: state) ?? .verifyBeforeUse)
        case ("grant_ends", _):
            guard let date = document.grantEndsAt else { return nil }
            self = .grantEnds(date)
        case ("sign_in_needed", _): self = .signInNeeded
        case ("not_saved", _): self = .notSaved
        case ("removed", _): self = .removed
        case ("missed", _): self = .missed
        default: return nil
        }
    }
}
