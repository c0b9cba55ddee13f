/// What looking at every part of a vault's file came to.
package struct VerificationReport: Sendable, Equatable {
    package var findings: [Finding] = []
    /// The accounts that were looked at.
    package var accounts = 0
    /// The sealed records that opened.
    package var records = 0
    /// False where the keys were not at hand: then only the shape of the records was looked at.
    package var wasUnlocked = false

    package init() {}

    package var isSound: Bool { findings.isEmpty }

    /// Whether it is good enough for a backup, and to be restored: at most hints of tags are wrong,
    /// or rows of the log.
    ///
    /// The hints hide an account from a search and nothing else, and a restore writes them anew; the
    /// log is read by people alone, who are told which rows nothing vouches for.
    package var isRestorable: Bool { findings.allSatisfy { $0.isOfTagHints || $0.isOfLog } }

    /// Something that is not as the vault wrote it.
    package struct Finding: Sendable, Hashable {
        package let part: Part
        package let problem: Problem

        package init(_ part: Part, _ problem: Problem) {
            self.part = part
            self.problem = problem
        }

        /// Whether it is about nothing but what accounts are found by.
        package var isOfTagHints: Bool {
            switch (part, problem) {
            case (.account, .differs(Self.tagHash)), (.tags, .orphaned): true
            default: false
            }
        }

        /// Whether it is about rows of the log that are not as they were written.
        package var isOfLog: Bool {
            if case .changedRows = problem { return true }
            return false
        }

        /// The column of a tag's hint.
        static let tagHash = "tag_hash"
    }

    /// Where it was found.
    package enum Part: Sendable, Hashable {
        /// The file's pages, tables and indices.
        case database
        case schema
        case migrations
        case header
        case slot(Int64)
        case keyring
        case selection
        /// An account, by the name in its row.
        case account(String)
        /// The hints that accounts are found by.
        case tags
        /// A pair that came too late, by its row's number.
        case receivedToken(Int64)
        case spentTokens
        /// The log of what was done.
        case activity
    }

    /// What is wrong with it.
    package enum Problem: Sendable, Hashable {
        /// SQLite's own words, which name tables and pages and never a value.
        case structure(String)
        /// It cannot be read.
        case unreadable
        /// It is not what this program, or a vault at all, would write.
        case malformed
        /// The work it asks for is more than this program does for a file.
        case parametersOutOfRange
        /// Its secret is at hand and does not open it.
        case doesNotOpen
        /// A sealed record of this column does not open in its place.
        case sealed(String)
        /// A clear column says something else than the seal.
        case differs(String)
        /// It speaks of an account that is not there.
        case orphaned
        /// So many rows are not as they were written.
        case changedRows(Int)
    }
}
