import FoundationEssentials
import Platform
import Testing
import VaultAgentClient

@testable import VaultCommandLine

/// What is drawn for what there is: a pure function, told in whole pictures.
@Suite struct StatusViewTests {
    private static let now = Date(timeIntervalSince1970: 1_760_000_000)

    private static func account(
        _ name: String,
        _ state: String = "active",
        expires: Double? = 2400,
        due: Double? = 1800,
        reason: String? = nil,
        failures: Int = 0,
        lifetime: Double? = 3600,
        since: Double? = nil,
        grantEnds: Double? = nil,
        isCurrent: Bool = false,
        isHint: Bool = false,
        renewal: String? = nil
    ) -> AccountStatusDocument {
        func date(_ seconds: Double?) -> Date? { seconds.map { now.addingTimeInterval($0) } }
        let detail = AccountStatusDocument.Detail(
            generation: 1,
            failureCount: failures,
            lastFailure: reason,
            reason: reason,
            since: date(since),
            lifetime: lifetime
        )
        return AccountStatusDocument(
            account: AccountDocument(
                name: name,
                current: isHint ? nil : isCurrent,
                state: state,
                issuer: nil,
                expiresAt: date(expires),
                dueAt: date(due),
                renewal: renewal,
                tags: []
            ),
            detail: isHint ? nil : detail,
            grantEndsAt: date(grantEnds)
        )
    }

    private static let three = [
        account("home", isCurrent: true),
        account(
            "a-rather-long-name@mail.example",
            "backing_off",
            expires: 100,
            due: 40,
            reason: "unreachable",
            failures: 3
        ),
        account("work", "sign_in_needed", expires: -7200, due: nil, reason: "grant_refused"),
    ]

    private func snapshot(
        _ accounts: [AccountStatusDocument] = three,
        isLocked: Bool = false
    ) -> StatusSnapshot {
        StatusSnapshot(accounts: accounts, isLocked: isLocked, now: Self.now)
    }

    private func style(
        _ width: Int? = 120,
        isTerminal: Bool = true,
        isUnicode: Bool = true,
        hasColour: Bool = false
    ) -> TextStyle {
        var style = TextStyle()
        style.width = isTerminal ? width : nil
        style.isTerminal = isTerminal
        style.isUnicode = isUnicode
        style.hasColour = hasColour
        return style
    }

    private func text(_ snapshot: StatusSnapshot, _ style: TextStyle) -> String {
        StatusView(snapshot: snapshot, style: style).text.joined(separator: "\n")
    }

    @Test func intoAPipeItIsPlain() {
        #expect(
            text(snapshot(), .plain)
                == """
                agent: not running
                   NAME                             STATE           EXPIRES   REFRESH    TROUBLE
                *  home                             fine            in 40 min  in 30 min  none
                   a-rather-long-name@mail.example  backing off     in 100 s   in 40 s    3 x unreachable
                   work                             sign-in needed  2 h ago    never      grant refused
                3 accounts: 1 fine, 1 backing off, 1 needs a sign-in
                  work (sign-in needed): vault login work
                  a-rather-long-name@mail.example (backing off): vault refresh a-rather-long-name@mail.example tries it now
                """.replacing("EXPIRES   ", with: "EXPIRES    ")
        )
    }

    @Test func whatIsRenewedOnRequestSaysSo() {
        let manual = Self.account("cron", expires: -7200, due: nil, renewal: "manual")
        let line = AccountLine(status: manual, now: Self.now)
        #expect(line.state == "renewable" && line.refresh == "when asked")
        let ended = Self.account("old", expires: -7200, due: nil, renewal: "normal")
        let other = AccountLine(status: ended, now: Self.now)
        #expect(other.state == "expired" && other.refresh == "never")
    }

    @Test func onATerminalItHasBars() {
        #expect(
            text(snapshot(), style()) == """
                agent: not running
                   NAME                             LEFT          EXPIRES    STATE           REFRESH    TROUBLE
                *  home                             ████████····  in 40 min  fine            in 30 min  none
                   a-rather-long-name@mail.example  ▍···········  in 100 s   backing off     in 40 s    3 × unreachable
                   work                             ············  2 h ago    sign-in needed  never      grant refused
                3 accounts: 1 fine, 1 backing off, 1 needs a sign-in
                  work (sign-in needed): vault login work
                  a-rather-long-name@mail.example (backing off): vault refresh a-rather-long-name@mail.example tries it now
                """
        )
    }

    /// The header and the second account, by the width.
    @Test(arguments: [
        (
            100,
            "   NAME                           LEFT    EXPIRES    STATE           REFRESH    TROUBLE",
            "   a-rather-long-name@mail.exa…  ▏·····  in 100 s   backing off     in 40 s    3 × unreacha…"
        ),
        (
            80, "   NAME                LEFT    EXPIRES    STATE           TROUBLE",
            "   a-rather-long-name@…"
        ),
        (64, "   NAME", "   a-rather-l…"), (50, "   NAME", "   a-rathe…"), (40, "   NAME", "   a-"),
        (30, "NAME          STATE", "a-rather-lo…  backing off"),
        (12, "N", "…"),
    ])
    func narrowerTerminalsLeaveOut(width: Int, header: String, row: String) {
        let lines = StatusTable(
            lines: snapshot().accounts.map { AccountLine(status: $0, now: Self.now) },
            style: style(width)
        ).text
        for line in lines where width >= 20 { #expect(line.count <= width, "\(width): \(line)") }
        #expect(lines[0].hasPrefix(header.prefix(8)), "\(lines)")
        #expect(lines[2].hasPrefix(row.prefix(10)), "\(lines)")
        let hasBar = lines[0].contains("LEFT")
        #expect(hasBar == (width >= 64), "\(width): \(lines[0])")
        #expect(lines[0].contains("REFRESH") == (width >= 80), "\(width): \(lines[0])")
        #expect(lines[0].contains("TROUBLE") == (width >= 64), "\(width): \(lines[0])")
    }

    @Test(arguments: [
        (1, "████", "####"), (0.5, "██··", "##.."), (0.51, "██··", "##.."), (0.03, "▏···", "...."),
        (0, "····", "...."), (0.97, "███▉", "####"), (0.66, "██▋·", "###."),
    ])
    func barsAreOfEighthsOrOfASCII(part: Double, blocks: String, ascii: String) {
        let account = Self.account("a", expires: 1000 * part, lifetime: 1000)
        let line = AccountLine(status: account, now: Self.now)
        for (isUnicode, bar) in [(true, blocks), (false, ascii)] {
            let table = StatusTable(lines: [line], style: style(isUnicode: isUnicode))
            #expect(table.bar(line.lifeLeft, 4) == bar)
        }
    }

    @Test func aLifeThatNobodyKnowsHasNoBar() {
        for account in [
            Self.account("a", lifetime: nil), Self.account("a", expires: nil),
            Self.account("a", isHint: true), Self.account("a", lifetime: 0),
        ] {
            #expect(AccountLine(status: account, now: Self.now).lifeLeft == nil)
        }
    }

    @Test(
        "cli G15: an expired token says nothing of the grant",
        arguments: [
            (Self.account("a", expires: -5), "renewable"),
            (Self.account("a", expires: -5, due: nil), "expired"),
            (Self.account("a", "static", expires: -5, due: nil), "expired"),
            (Self.account("a", "static", due: nil), "static"),
            (Self.account("a", expires: nil), "fine"),
            (Self.account("a", "outcome_unknown"), "outcome unknown"),
            (Self.account("a", "verify_before_use"), "to be verified"),
            (Self.account("a", "client_refused"), "client refused"),
            (Self.account("a", "not_saved"), "not saved"), (Self.account("a", "paused"), "paused"),
            (Self.account("a", "of_\u{1b}_tomorrow"), "of_\\u{1b}_tomorrow"),
        ]
    )
    func states(account: AccountStatusDocument, words: String) {
        #expect(AccountLine(status: account, now: Self.now).state == words)
    }

    @Test func coloursAreForWhoAsks() {
        let text = text(snapshot(), style(hasColour: true))
        #expect(text.contains("\u{1b}[31msign-in needed\u{1b}[0m"))
        #expect(text.contains("\u{1b}[33mbacking off   \u{1b}[0m"))
        #expect(text.contains("\u{1b}[32m1 fine\u{1b}[0m"))
        let plain = text.replacing(/\u{1b}\[[0-9]*m/, with: "")
        #expect(plain == self.text(snapshot(), style()))
    }

    // MARK: - Very many

    @Test func ofManyOnlyThoseThatAreNotWellAreShown() {
        let many = (0..<60).map { Self.account("account-\($0)") } + Self.three
        let shown = text(snapshot(many), style())
        #expect(!shown.contains("account-7"))
        #expect(shown.contains("backing off") && shown.contains("work"))
        #expect(
            shown.contains(
                "63 accounts: 61 fine, 1 backing off, 1 needs a sign-in "
                    + "(vault status --all shows them all)"
            )
        )
        var view = StatusView(snapshot: snapshot(many), style: style())
        view.showsAll = true
        #expect(view.text.count == 2 + 63 + 3)
        #expect(text(snapshot(many), .plain).contains("account-7"))
    }

    @Test func aScreenHasNoMoreLinesThanTheTerminal() {
        var style = style()
        style.height = 5
        let screen = StatusView(snapshot: snapshot(), style: style).screen
        #expect(screen.count == 5)
        #expect(screen.last == "and 3 more lines")
    }

    @Test func aScreenThatIsTooSmallLeavesOutThoseThatAreWell() {
        let many = (0..<30).map { Self.account("account-\($0)") } + Self.three
        var style = style()
        style.height = 12
        let screen = StatusView(snapshot: snapshot(many), style: style).screen
        #expect(screen.count == 7)
        #expect(screen.contains { $0.hasPrefix("33 accounts: 31 fine, ") })
        #expect(screen.contains("  work (sign-in needed): vault login work"))
        style.height = 40
        #expect(StatusView(snapshot: snapshot(many), style: style).screen.count == 38)
    }

    // MARK: - What lapses, and what ends

    @Test func ofALockedVaultItSaysWhatLapsesWhen() {
        let accounts =
            [("late", 1400.0), ("soon", 500), ("gone", -60)].map { name, expires in
                Self.account(name, expires: expires, isHint: true)
            } + [Self.account("static", "static", due: nil, isHint: true)]
        let lines = StatusView(snapshot: snapshot(accounts, isLocked: true), style: .plain).text
        // Nobody refreshes what is due.
        #expect(lines[2].contains("in 23 min  locked"), "\(lines[2])")
        #expect(
            lines.suffix(3) == [
                "gone lapsed 60 s ago: vault unlock has it renewed",
                "soon lapses in 8 min unless the vault is unlocked",
                "late lapses in 23 min unless the vault is unlocked",
            ]
        )
        let many = (0..<12).map { Self.account("a\($0)", isHint: true) }
        let last = StatusView(snapshot: snapshot(many, isLocked: true), style: .plain).text.last
        #expect(last == "and 4 more")
    }

    @Test(
        "cli D13: the end of a grant is shown, and warned of in time",
        arguments: [
            // Days to the end, days since it began, whether it is warned of.
            (13.0, 400.0, true), (15, 400, false), (2, 5, false), (1.5, 5.5, true),
            (0.9, 1, true), (-1, 30, true), (-1e14, 30, false),
        ]
    )
    func grantEnds(days: Double, ago: Double, isWarned: Bool) {
        let day = 86_400.0
        let account = Self.account("work", since: -ago * day, grantEnds: days * day)
        let lines = StatusView(snapshot: snapshot([account]), style: .plain).text
        #expect(lines[1].contains("GRANT ENDS"))
        let warning = lines.first { $0.contains("the grant of work") }
        #expect((warning != nil) == isWarned, "\(lines)")
        #expect(warning?.contains("vault login work renews it") != false)
    }

    @Test func aGrantOfWhichNobodyKnowsTheBeginningIsWarnedOfForTwoWeeks() {
        for (days, isWarned) in [(13.0, true), (15, false)] {
            let account = Self.account("work", grantEnds: days * 86_400)
            #expect(AccountLine(status: account, now: Self.now).isGrantEndNear == isWarned)
        }
    }

    // MARK: - For scripts

    @Test(
        "cli G02: what a check comes to",
        arguments: [
            ([], false, nil, []),
            (["active", "static", "paused"], false, nil, []),
            (["backing_off", "active"], false, ExitCode.temporary, ["1 backing off"]),
            (["outcome_unknown"], false, .temporary, ["1 with a lost answer"]),
            (["client_refused", "not_saved"], false, .temporary, []),
            (["tomorrow"], false, .temporary, []),
            (["backing_off"], true, .locked, ["the vault is locked; accounts: 1 backing off"]),
            (["active"], true, .locked, ["the vault is locked"]),
            (["sign_in_needed", "backing_off"], true, .signInNeeded, ["1 needs a sign-in"]),
            (["verify_before_use"], false, .signInNeeded, ["1 to be verified"]),
            (["sign_in_needed", "sign_in_needed"], false, .signInNeeded, ["2 need a sign-in"]),
        ] as [([String], Bool, ExitCode?, [String])]
    )
    func checks(states: [String], isLocked: Bool, code: ExitCode?, words: [String]) {
        let accounts = states.enumerated().map { Self.account("a\($0)", $1, isHint: isLocked) }
        let check = StatusCheck(snapshot: snapshot(accounts, isLocked: isLocked))
        #expect(check.problems?.exitCode == code)
        for words in words { #expect(check.problems?.words.contains(words) == true) }
        #expect(check.lines.isEmpty == (code == nil))
    }

    @Test func aCheckNamesTheProblems() {
        #expect(
            StatusCheck(snapshot: snapshot()).lines == [
                "a-rather-long-name@mail.example: backing off (3 x unreachable): "
                    + "vault refresh a-rather-long-name@mail.example tries it now",
                "work: sign-in needed (grant refused): vault login work",
            ]
        )
    }
}

@Suite struct TextStyleTests {
    struct Row: Sendable {
        var isTerminal = true
        var variables: [String: String] = [:]
        var columns: Int? = 100
        var width: Int? = 100
        var isUnicode = false
        var hasColour = false
    }

    @Test(arguments: [
        Row(variables: ["TERM": "xterm"], hasColour: true),
        Row(variables: ["TERM": "dumb"]), Row(),
        Row(variables: ["TERM": "xterm", "NO_COLOR": "1"]),
        Row(variables: ["TERM": "xterm", "NO_COLOR": "1", "CLICOLOR_FORCE": "1"]),
        Row(isTerminal: false, variables: ["TERM": "xterm"], width: nil),
        Row(isTerminal: false, variables: ["CLICOLOR_FORCE": "1"], width: nil, hasColour: true),
        Row(isTerminal: false, variables: ["CLICOLOR_FORCE": "0"], width: nil),
        Row(variables: ["LANG": "de_DE.UTF-8"], isUnicode: true),
        Row(variables: ["LANG": "C", "LC_CTYPE": "C.utf8"], isUnicode: true),
        Row(variables: ["LANG": "de_DE.UTF-8", "LC_ALL": "C"]),
        Row(isTerminal: false, variables: ["LANG": "C.UTF-8"], width: nil),
        Row(variables: ["COLUMNS": "60"], width: 60), Row(variables: ["COLUMNS": "wide"]),
        Row(variables: ["COLUMNS": "-3"]), Row(columns: nil, width: 80),
    ])
    func comesFromWhereItGoes(row: Row) {
        let style = TextStyle(
            isTerminal: row.isTerminal,
            size: row.columns.map { TerminalSize(columns: $0, rows: 24) },
            variable: { row.variables[$0] }
        )
        #expect(style.width == row.width)
        #expect(style.isUnicode == row.isUnicode)
        #expect(style.hasColour == row.hasColour)
    }

    @Test func cutsWithAnEllipsis() {
        var style = TextStyle.plain
        #expect(style.fitted("a name", 6) == "a name")
        #expect(style.fitted("a name", 5) == "a ...")
        #expect(style.fitted("a name", 2) == "..")
        style.isUnicode = true
        #expect(style.fitted("a name", 5) == "a na\u{2026}")
        #expect(style.fitted("a name", 0) == "")
    }
}
