import FoundationEssentials
import Testing
import VaultAgentClient

@testable import VaultCommandLine
@testable import VaultStore

@Suite struct LogTextTests {
    private static func row(
        _ number: Int64,
        _ action: ActivityAction = .refreshed,
        _ account: String? = "work",
        result: String = "ok",
        actor: String = "vault-agent 812",
        isGenuine: Bool? = true
    ) -> Activity {
        Activity(
            number: number,
            at: Date(timeIntervalSince1970: 1_760_000_000),
            actor: actor,
            action: action.rawValue,
            account: account,
            result: result,
            isRoutine: action == .refreshed || action == .refreshFailed,
            isGenuine: isGenuine
        )
    }

    private static let rows = [
        row(1, .vaultMade, nil, actor: "vault init 4711"), row(2, .accountAdded),
        row(3, .refreshFailed, result: "unreachable"),
        row(4, .grantRefused, "removed-since", result: "sign_in_needed", isGenuine: false),
    ]

    @Test func rowsAreLines() {
        let text = LogText(style: .plain, rows: Self.rows)
        #expect(
            Self.rows.map(text.line) == [
                "2025-10-09T08:53:20Z  vault init 4711  -              vault made",
                "2025-10-09T08:53:20Z  vault-agent 812  work           account added",
                "2025-10-09T08:53:20Z  vault-agent 812  work           refresh failed: unreachable",
                "2025-10-09T08:53:20Z  vault-agent 812  removed-since  grant refused: sign in needed"
                    + "  (changed: nothing vouches for this row)",
            ]
        )
    }

    @Test("security: what somebody wrote into a row moves no terminal")
    func edits() {
        var row = Self.row(1, actor: "\u{1b}[2J", isGenuine: false)
        (row.account, row.action, row.result) = ("a\nb", "x\u{202e}y", "\u{9b}31m")
        let line = LogText(style: .plain, rows: [row]).line(row)
        #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202e })
        #expect(!line.unicodeScalars.contains { (0x7f...0x9f).contains($0.value) })
    }

    @Test func coloursAreOnTop() {
        var style = TextStyle.plain
        let plain = Self.rows.map(LogText(style: style, rows: Self.rows).line)
        style.hasColour = true
        let painted = Self.rows.map(LogText(style: style, rows: Self.rows).line)
        #expect(painted != plain)
        #expect(painted.map { $0.replacing(/\u{1b}\[[0-9]*m/, with: "") } == plain)
    }

    @Test func everyActionHasWords() {
        #expect(Set(ActivityAction.allCases.map(\.words)).count == ActivityAction.allCases.count)
        var row = Self.row(1)
        row.action = "of_tomorrow"
        #expect(LogText(style: .plain, rows: [row]).line(row).hasSuffix("of tomorrow"))
    }

    @Test func documentsSayNullForWhatNobodyKnows() throws {
        let document = LogDocument(
            locked: true,
            rows: [Self.row(7, .keysRotated, nil, isGenuine: nil)]
        )
        #expect(
            String(decoding: try WireJSON.encode(document), as: UTF8.self) == """
                {"entries":[{"account":null,"action":"keys_rotated","actor":"vault-agent 812",\
                "at":"2025-10-09T08:53:20Z","genuine":null,"number":7,"result":"ok",\
                "routine":false}],"locked":true,"schemaVersion":1}
                """
        )
        let line = try WireJSON.encode(LogLineDocument(Self.row(7)))
        #expect(
            String(decoding: line, as: UTF8.self) == """
                {"account":"work","action":"refreshed","actor":"vault-agent 812",\
                "at":"2025-10-09T08:53:20Z","genuine":true,"number":7,"result":"ok",\
                "routine":true,"schemaVersion":1}
                """
        )
    }

    @Test func aLogIsFollowedByItsNumbers() {
        var cursor = LogCursor(last: 3)
        #expect(cursor.place(5) == 3)
        #expect(cursor.new(among: [Self.row(4), Self.row(5)]).map(\.number) == [4, 5])
        #expect(cursor.place(5) == 5)
        // One that somebody made up, again and again.
        #expect(cursor.new(among: [Self.row(6), Self.row(.max)]).map(\.number) == [6])
        #expect(cursor.place(.max) == 6)
        // Restored from a copy.
        #expect(cursor.place(2) == 1)
        #expect(LogCursor(last: .max).last == 0)
    }

    @Test(arguments: [
        ("90s", LogStart.ago(90)), ("2d", .ago(172_800)),
        ("2025-10-09", .at(Date(timeIntervalSince1970: 1_759_968_000))),
        ("2025-10-09T08:53:20Z", .at(Date(timeIntervalSince1970: 1_760_000_000))),
    ])
    func starts(text: String, start: LogStart) throws {
        #expect(try LogStart(text) == start)
    }

    @Test(arguments: ["", "yesterday", "0s", "-1d", "2025-13-09", "2025-10-09T", "1w"])
    func otherTimesAreRefused(text: String) {
        #expect(throws: UsageError.self) { try LogStart(text) }
    }
}
