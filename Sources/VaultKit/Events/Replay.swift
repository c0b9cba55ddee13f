internal import VaultAccess
internal import VaultStore

/// Changes of state that a listener is told of from the vault's file.
struct Replay: Sendable, Hashable {
    /// Where to go on.
    var place: StateChange.Place
    /// The last; those that come after it are told as they happen.
    var last: Int64
    /// Whether accounts that came back to `active` are told of too.
    var withActive: Bool
    /// Whether the place is one that a program kept, maybe of another life of this vault.
    var isKept = false

    /// The accounts that are in another state than `active`.
    static func standing(upTo last: Int64) -> Replay {
        Replay(place: .start, last: last, withActive: false)
    }
}

/// What a stream begins with.
enum EventStart: Sendable {
    /// The accounts that are in another state than `active`.
    case states
    /// What changed after a position.
    case after(VaultEvent.Position)
    /// What happens from now on, as far as this process learns of it without looking.
    case now
}
