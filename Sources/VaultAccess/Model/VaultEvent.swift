public import FoundationEssentials

/// Something that happened to an account, or the mark of events that were missed.
public struct VaultEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: Sendable, Hashable {
        /// A new pair is stored.
        case refreshed(generation: UInt64, expiry: Date?)
        /// Another process had refreshed already.
        case adopted(generation: UInt64)
        /// A refresh failed for the moment; the code says how.
        case refreshFailed(VaultError.Code)
        /// The account needs a new sign-in: told once of each grant to each listener.
        case signInNeeded
        /// The grant ends then, however often it is used, and a new sign-in begins another: told once
        /// of each grant, two weeks before or when a quarter of its life is left.
        ///
        /// A scheduler tells it to those who listen then: the agent's, or one that the program runs.
        case grantEnds(Date)
        /// The account came to be in another state, by this process or another.
        case stateChanged(AccountState)
        /// A new pair could not be stored yet and is kept in memory.
        case notSaved
        /// An account was added, or given a new grant.
        case signedIn(generation: UInt64)
        /// An account was removed.
        case removed
        /// The listener did not keep up, and events that belong here were dropped.
        ///
        /// The changes of state among them follow, read from the vault; the others are lost.
        case missed
    }

    /// A place in the order in which the accounts of a vault changed their states.
    ///
    /// Meaningful to the vault it comes from; a program stores it as the number it is.
    public struct Position: RawRepresentable, Sendable, Hashable, Comparable, Codable {
        /// The number of the change in its vault, counted from one.
        public let rawValue: Int64

        /// The position that was stored as a number.
        public init(rawValue: Int64) {
            self.rawValue = rawValue
        }

        /// Whether one change came before another.
        public static func < (left: Position, right: Position) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// The account; nil only of ``Kind/missed``.
    public let account: AccountName?
    /// What happened to it.
    public let kind: Kind
    /// What to go on from after this event; nil of events that are not kept in the vault.
    ///
    /// Kept are ``Kind/signInNeeded`` and ``Kind/stateChanged(_:)``.
    public let position: Position?

    package init(account: AccountName?, kind: Kind, position: Position? = nil) {
        self.account = account
        self.kind = kind
        self.position = position
    }
}
