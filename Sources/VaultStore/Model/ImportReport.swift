/// What an import does, or would do, with each account of a file.
package struct ImportReport: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        /// The name in the file.
        package let name: AccountName
        package let outcome: Outcome

        /// Whether the account was written.
        package var isTaken: Bool { [.added, .movedBack, .replaced].contains(outcome) }

        package init(name: AccountName, outcome: Outcome) {
            self.name = name
            self.outcome = outcome
        }
    }

    /// What becomes of one account.
    package enum Outcome: Sendable, Hashable {
        case added
        /// It was paused here, and is used here again.
        case movedBack
        /// It takes the place of one with an older pair.
        case replaced
        case skipped(Skip)
        case refused(Refusal)
    }

    /// Why an account stays as it is here.
    package enum Skip: String, Sendable {
        /// The same pair is here.
        case same
        /// A newer pair is here.
        case newer
        /// Its refresh token was spent here.
        case spent
        /// It was moved away from here, and the file is an older copy of it.
        case movedAway = "moved_away"
    }

    /// Why nothing at all is imported.
    package enum Refusal: Sendable, Hashable {
        /// The refresh token was spent here, and its account is gone.
        case spent
        /// Another account has the refresh token.
        case grantStored(in: AccountName)
        /// Another account has the name.
        case nameTaken
        /// The same account is used here, and in the file is a later pair: two own it.
        case twoOwners
        /// The account or its grant is in the file twice.
        case repeated
    }

    package var entries: [Entry]

    package init(entries: [Entry] = []) {
        self.entries = entries
    }

    /// Whether anything stands against the import.
    package var isRefused: Bool {
        entries.contains { if case .refused = $0.outcome { true } else { false } }
    }
}
