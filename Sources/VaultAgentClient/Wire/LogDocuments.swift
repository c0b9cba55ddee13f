package import FoundationEssentials
package import VaultAccess

/// Rows of the log of what was done, the oldest first, as `vault log --json` and the agent give them.
package struct LogDocument: Codable, Sendable {
    package var schemaVersion = WireJSON.schemaVersion
    /// Whether there was no key to tell if the rows are as they were written.
    package let locked: Bool
    package let entries: [LogEntryDocument]

    package init(locked: Bool, rows: [Activity]) {
        self.locked = locked
        entries = rows.map { LogEntryDocument($0) }
    }
}

/// One row.
package struct LogEntryDocument: Codable, Sendable {
    package let number: Int64
    package let at: Date
    /// The program that did it, and its process.
    package let actor: String
    package let action: String
    package let account: String?
    /// `ok`, or the code of the error.
    package let result: String
    /// Whether the vault does it by itself, very often.
    package let routine: Bool
    /// Whether the row is as the vault wrote it; null where nobody can tell.
    package let genuine: Bool?

    package init(_ row: Activity) {
        number = row.number
        at = row.at
        actor = row.actor
        action = row.action
        account = row.account
        result = row.result
        routine = row.isRoutine
        genuine = row.isGenuine
    }

    /// As a row of the log; nothing of it is taken for more than it says.
    package var row: Activity {
        Activity(
            number: number,
            at: at,
            actor: actor,
            action: action,
            account: account,
            result: result,
            isRoutine: routine,
            isGenuine: genuine
        )
    }

    // What does not apply, or nobody can tell, is null.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(number, forKey: .number)
        try container.encode(at, forKey: .at)
        try container.encode(actor, forKey: .actor)
        try container.encode(action, forKey: .action)
        try container.encode(account, forKey: .account)
        try container.encode(result, forKey: .result)
        try container.encode(routine, forKey: .routine)
        try container.encode(genuine, forKey: .genuine)
    }
}
