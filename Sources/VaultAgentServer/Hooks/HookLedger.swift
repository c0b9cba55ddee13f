internal import FoundationEssentials
internal import VaultKit

/// What the person's program is told of.
enum HookEvent: String, Sendable, Codable {
    /// The account needs a new sign-in: once for each grant that died.
    case signInNeeded = "sign_in_needed"
    /// The grant ends soon, and only a new sign-in begins another: once for each grant.
    case grantEnds = "grant_ends"
    /// The authorization server refuses the client.
    case clientRefused = "client_refused"
    /// A new pair is only in the agent's memory.
    case notSaved = "not_saved"
    /// It was told of one of these, and all is well again.
    case recovered
}

/// What was told so far: one notice for each trouble, also across restarts of the agent.
struct HookLedger: Sendable, Codable, Equatable {
    /// Accounts of which is kept what was told; of those that have no room a recovery is not told.
    static let capacity = 1024

    /// How far in the vault's changes of state it got.
    private(set) var position: VaultEvent.Position?
    /// What was told of accounts last, while it lasts.
    private(set) var told: [String: HookEvent] = [:]

    /// Takes note of an event, and says what to tell of it, if anything.
    mutating func take(_ event: VaultEvent) -> HookEvent? {
        // They rise, but where another file came in the vault's place: it counts anew, and of what has a
        // number above its last there is none.
        if let place = event.position { position = place }
        guard let account = event.account?.text else { return nil }
        switch event.kind {
        // No trouble yet, so nothing that is over one day.
        case .grantEnds: return .grantEnds
        case .signInNeeded: return note(.signInNeeded, account)
        case .stateChanged(.clientRefused): return note(.clientRefused, account)
        case .notSaved:
            // The store is tried again and again, and each time this is said.
            return told[account] == .notSaved ? nil : note(.notSaved, account)
        case .stateChanged(.active), .refreshed, .adopted, .signedIn:
            return told.removeValue(forKey: account) == nil ? nil : .recovered
        case .removed:
            told[account] = nil
            return nil
        case .stateChanged, .refreshFailed, .missed: return nil
        }
    }

    private mutating func note(_ event: HookEvent, _ account: String) -> HookEvent {
        if told[account] != nil || told.count < Self.capacity { told[account] = event }
        return event
    }
}

/// An event as the program reads it.
struct HookDocument: Codable, Sendable {
    var schemaVersion = 1
    let event: HookEvent
    let account: String
    let time: Date
    /// The directory of the vault.
    let vault: String
    /// When a grant ends that somebody is told of in advance.
    var grantEndsAt: Date?
}
