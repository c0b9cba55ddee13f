internal import FoundationEssentials
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

/// Rows of the log as lines, in columns as wide as the first of them need.
struct LogText: Sendable {
    private let style: TextStyle
    private let actorWidth: Int
    private let accountWidth: Int

    /// Cells of a column that later rows are in too: most fit.
    private static let usualActor = 18
    private static let usualAccount = 8

    init(style: TextStyle, rows: [Activity]) {
        self.style = style
        actorWidth = rows.map { Printable.escaped($0.actor).count }.max() ?? Self.usualActor
        accountWidth = max(
            rows.map { Printable.escaped($0.account ?? "").count }.max() ?? 0,
            Self.usualAccount
        )
    }

    func line(_ row: Activity) -> String {
        let time = row.at.formatted(.iso8601)
        let account = Printable.escaped(row.account ?? "-")
        let (words, ink) = Self.words(row)
        let text = [
            style.painted(time, .faint), padded(Printable.escaped(row.actor), actorWidth),
            padded(account, accountWidth), style.painted(Printable.escaped(words), ink),
        ].joined(separator: "  ")
        guard row.isGenuine == false else { return text }
        return text + "  " + style.painted("(changed: nothing vouches for this row)", .red)
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }

    /// What was done, in words, and how it ended where it did not succeed.
    private static func words(_ row: Activity) -> (String, TextStyle.Ink) {
        let done =
            ActivityAction(rawValue: row.action)?.words
            ?? row.action.replacing("_", with: " ")
        guard row.result != "ok" else { return (done, row.isRoutine ? .faint : .plain) }
        let why = row.result.replacing("_", with: " ")
        return ("\(done): \(why)", row.isRoutine ? .yellow : .red)
    }
}

extension ActivityAction {
    var words: String {
        switch self {
        case .vaultMade: "vault made"
        case .accountAdded: "account added"
        case .signedIn: "signed in again"
        case .accountRemoved: "account removed"
        case .accountSelected: "made the current account"
        case .signedOut: "signed out"
        case .accountRenamed: "account renamed"
        case .tagsChanged: "tags changed"
        case .renewalChanged: "renewal policy changed"
        case .endpointsChanged: "endpoints changed"
        case .secretChanged: "client secret changed"
        case .refreshed: "refreshed"
        case .refreshFailed: "refresh failed"
        case .grantRefused: "grant refused"
        case .grantVerified: "refresh token verified"
        case .grantEnding: "told that the grant ends"
        case .slotAdded: "key slot added"
        case .slotRemoved: "key slot removed"
        case .slotChanged: "key slot changed"
        case .keysRotated: "data key rotated"
        case .keysReplaced: "root key replaced"
        case .backedUp: "backed up"
        case .restored: "restored from a copy"
        case .exported: "exported"
        case .moved: "moved to another vault"
        case .imported: "imported"
        }
    }
}

/// One row of a log that is followed: an object of its own.
struct LogLineDocument: Encodable {
    private let entry: LogEntryDocument

    init(_ row: Activity) {
        entry = LogEntryDocument(row)
    }

    private enum CodingKeys: CodingKey {
        case schemaVersion
    }

    func encode(to encoder: any Encoder) throws {
        try entry.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(WireJSON.schemaVersion, forKey: .schemaVersion)
    }
}
