internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

struct LogCommand: Command {
    static let name = "log"
    static let summary = "Show what was done with the vault, by whom"
    static let help = """
        vault log [NAME] [--since TIME] [--limit N | --all] [--follow] [--json]

        Shows what was done with the vault or one account, the newest last: when, by
        which program and process, to which account, and whether it succeeded. Nothing
        in it is a secret. An account that was removed is still named.

          --since TIME  Only what was done in the last 90s, 15m, 8h or 2d, or since
                        2026-11-30 or 2026-11-30T08:00:00Z
          --limit N     The last N rows (50 unless told; all with --since)
          --all         All there are
          --follow      Go on with what is done from now on, until Ctrl-C
          --json        {"schemaVersion":1,"locked","entries":[{"number","at","actor",
                        "action","account","result","routine","genuine"}]}; result is
                        ok or an error's code. With --follow an object a line

        A row that was changed or made up is marked, and the exit code is 8. Of a vault
        that neither a key file nor an unlocked agent opens, the rows are shown, and
        nobody can tell (genuine is null). That rows were taken out does not show.

        Rows are kept for 90 days, the last 50,000 at most; of refreshes the last
        10,000.

        """

    /// Rows that are shown unless told otherwise.
    private static let usualLimit = 50
    /// Rows that an agent gives at most: more than the log keeps.
    private static let mostOfAgent = 100_000
    /// Seconds between two looks for more.
    private static let pause: UInt32 = 1000

    private let account: AccountName?
    private let since: LogStart?
    private let limit: Int
    private let isFollowing: Bool
    private let isJSON: Bool

    init(_ arguments: inout ArgumentReader) throws {
        since = try arguments.option("--since").map { try LogStart($0) }
        let given = try arguments.option("--limit")
        let isAll = try arguments.flag("--all")
        isFollowing = try arguments.flag("--follow")
        isJSON = try arguments.flag("--json")
        account = try arguments.optionalAccountName()
        try arguments.finish()
        if isAll, given != nil { throw UsageError.strayWord("--all") }
        let usual = isAll || since != nil ? Int(Int32.max) : Self.usualLimit
        limit = try given.map { try Self.limit($0) } ?? usual
    }

    private static func limit(_ text: String) throws(UsageError) -> Int {
        guard text.allSatisfy({ ("0"..."9").contains($0) }), let limit = Int32(text), limit > 0
        else { throw .malformed("--limit", value: text, wanted: "a number from 1") }
        return Int(limit)
    }

    func run(in context: CommandContext) throws {
        let file = try VaultFile(context.location)
        let last = try file.newestActivity(limit: 1).last?.number
        let (rows, isVouchedFor) = try rows(file, context)
        let style = TextStyle.of(1)
        let text = LogText(style: style, rows: rows)
        if isFollowing {
            try write(rows, text, context.terminal)
            try follow(file, after: last ?? 0, text, context.terminal)
        }
        if isJSON {
            try context.terminal.data(json: LogDocument(locked: !isVouchedFor, rows: rows))
        } else {
            try context.terminal.data(lines: rows.map(text.line))
        }
        let changed = rows.count { $0.isGenuine == false }
        guard changed == 0 else {
            throw VaultError(
                .tampered,
                facts: [
                    .reason: "log_rows", .found: Plural.text(changed, "row") + " of the log",
                ]
            )
        }
    }

    /// The rows, with what keys say of them: those of a key file, or of an agent that somebody unlocked.
    private func rows(
        _ file: VaultFile,
        _ context: CommandContext
    ) throws -> ([Activity], isVouchedFor: Bool) {
        let since = since?.date(before: context.clock.now().wall)
        do {
            try file.unlock(with: .keyFile)
        } catch let error as StoreError {
            guard case .locked = error else { throw error }
            if !isFollowing, let rows = try rowsOfAgent(since: since, context) {
                return (rows, true)
            }
            context.terminal.warning(
                "no key is at hand: whether a row was changed is not known (vault unlock gives one)"
            )
        }
        let rows = try file.newestActivity(of: account?.text, since: since, limit: limit)
        return (rows, file.isUnlocked)
    }

    private func rowsOfAgent(since: Date?, _ context: CommandContext) throws -> [Activity]? {
        var target = "/v1/log?limit=\(min(limit, Self.mostOfAgent))"
        if let account { target += "&account=\(FormEncoding.encode(account.text))" }
        if let since { target += "&since=\(FormEncoding.encode(since.formatted(.iso8601)))" }
        return try context.agent.callUnlocked("GET", target, as: LogDocument.self)?
            .entries.map(\.row)
    }

    private func write(_ rows: [Activity], _ text: LogText, _ terminal: Terminal) throws {
        guard isJSON else { return try terminal.data(lines: rows.map(text.line)) }
        for row in rows { try terminal.data(json: LogLineDocument(row)) }
    }

    private func follow(
        _ file: VaultFile,
        after number: Int64,
        _ text: LogText,
        _ terminal: Terminal
    ) throws -> Never {
        var cursor = LogCursor(last: number)
        while true {
            Pause.milliseconds(Self.pause)
            var page: [Activity]
            repeat {
                page = try file.rereading { file in
                    let newest = try file.newestActivity(limit: 1).last?.number
                    return try file.activity(after: cursor.place(newest), limit: 256)
                }
                let rows = cursor.new(among: page)
                try write(rows.filter { isOfAccount($0) }, text, terminal)
            } while page.count == 256
        }
    }

    private func isOfAccount(_ row: Activity) -> Bool {
        account.map { $0.text == row.account } ?? true
    }
}

/// How far the log was followed.
struct LogCursor: Sendable {
    /// The number of the last row that was shown.
    private(set) var last: Int64

    init(last: Int64) {
        self.last = last < Activity.numberLimit ? last : 0
    }

    /// The number after which rows are new.
    ///
    /// A restored vault goes on from an earlier number.
    mutating func place(_ newest: Int64?) -> Int64 {
        if let newest, newest < last { last = newest - 1 }
        return last
    }

    /// The rows that were not shown, without those whose numbers somebody made up.
    mutating func new(among rows: [Activity]) -> [Activity] {
        let new = rows.filter { $0.number > last && $0.number < Activity.numberLimit }
        last = new.last?.number ?? last
        return new
    }
}

/// Since when rows are shown.
enum LogStart: Sendable, Equatable {
    case ago(Double)
    case at(Date)

    init(_ text: String) throws(UsageError) {
        if let seconds = DurationText.seconds(text) {
            self = .ago(seconds)
        } else if let date = Self.date(text) {
            self = .at(date)
        } else {
            let wanted = "a time such as 90s, 15m, 8h, 2d, 2026-11-30 or 2026-11-30T08:00:00Z"
            throw .malformed("--since", value: text, wanted: wanted)
        }
    }

    /// A day begins where the vault's times are told: in UTC.
    private static func date(_ text: String) -> Date? {
        let isDay = text.utf8.count == 10
        return try? Date(isDay ? text + "T00:00:00Z" : text, strategy: .iso8601)
    }

    func date(before now: Date) -> Date {
        switch self {
        case .ago(let seconds): now.addingTimeInterval(-seconds)
        case .at(let date): date
        }
    }
}
