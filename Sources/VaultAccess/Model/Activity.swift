package import FoundationEssentials

/// One row of the log of what was done.
package struct Activity: Sendable, Hashable {
    package var number: Int64
    package var at: Date
    /// The program that did it, and its process.
    package var actor: String
    /// One of the vault's words, or of a newer program's.
    package var action: String
    package var account: String?
    /// `ok`, or the code of the error.
    package var result: String
    /// Whether the vault does it by itself, very often.
    package var isRoutine: Bool
    /// Whether the row is as the vault wrote it; nil where there is no key to tell.
    package var isGenuine: Bool?

    /// No number of the vault's own is as large.
    package static let numberLimit: Int64 = 1 << 62

    package init(
        number: Int64,
        at: Date,
        actor: String,
        action: String,
        account: String?,
        result: String,
        isRoutine: Bool,
        isGenuine: Bool?
    ) {
        self.number = number
        self.at = at
        self.actor = actor
        self.action = action
        self.account = account
        self.result = result
        self.isRoutine = isRoutine
        self.isGenuine = isGenuine
    }
}
