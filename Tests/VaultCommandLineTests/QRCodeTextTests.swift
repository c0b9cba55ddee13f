import Platform
import Testing

@testable import VaultCommandLine

@Suite struct QRCodeTextTests {
    /// No code, but seven rows of a pattern with every pair of modules in it.
    private static let rows = [
        "1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111",
    ]

    private static func style(
        _ columns: Int,
        _ rows: Int,
        isTerminal: Bool = true,
        _ variables: [String: String] = [:]
    ) -> TextStyle {
        let usual = ["TERM": "xterm-256color", "LANG": "C.UTF-8"]
        return TextStyle(
            isTerminal: isTerminal,
            size: TerminalSize(columns: columns, rows: rows)
        ) { usual.merging(variables) { $1 }[$0] }
    }

    @Test func twoModulesStandInEachCharacter() throws {
        let text = try #require(
            QRCodeText(Self.rows, style: Self.style(80, 24), linesBelow: 3)
        )
        let quiet = String(repeating: " ", count: 15)
        #expect(
            text.lines
                == [
                    quiet, quiet, "    █▀▀▀▀▀█    ", "    █ ███ █    ", "    █ ▀▀▀ █    ",
                    "    ▀▀▀▀▀▀▀    ", quiet, quiet,
                ].map { "\u{1b}[30;47m\($0)\u{1b}[0m" }
        )
    }

    /// Read back as a camera does: the upper and the lower half of each character.
    @Test("every module is where it belongs", arguments: [80, 11])
    func readBack(columns: Int) throws {
        let text = try #require(
            QRCodeText(Self.rows, style: Self.style(columns, 24), linesBelow: 3)
        )
        let zone = columns == 80 ? 4 : 2
        let cells = text.lines.map { $0.dropFirst(8).dropLast(4) }
        let halves = cells.flatMap { line in
            [line.map { "█▀".contains($0) }, line.map { "█▄".contains($0) }]
        }
        for (row, modules) in halves.enumerated() {
            for (column, isDark) in modules.enumerated() {
                let known =
                    Self.rows.indices.contains(row - zone)
                    ? Array(Self.rows[row - zone]) : []
                let isMeant = known.indices.contains(column - zone) && known[column - zone] == "1"
                #expect(isDark == isMeant, "\(row), \(column)")
            }
        }
    }

    @Test(
        "a code that nobody could read is not drawn",
        arguments: [
            (style(80, 24), true), (style(11, 24), true), (style(80, 9), true),
            (style(10, 24), false), (style(80, 8), false),
            (style(80, 24, isTerminal: false), false),
            (style(80, 24, isTerminal: false, ["CLICOLOR_FORCE": "1"]), false),
            (style(80, 24, ["NO_COLOR": ""]), false), (style(80, 24, ["TERM": "dumb"]), false),
            (style(80, 24, ["LANG": "C"]), false),
            (style(80, 24, ["LC_ALL": "C", "LANG": "C.UTF-8"]), false),
        ] as [(TextStyle, Bool)]
    )
    func legible(style: TextStyle, isDrawn: Bool) {
        #expect((QRCodeText(Self.rows, style: style, linesBelow: 3) != nil) == isDrawn)
    }

    @Test("what is no square is no code", arguments: [[], ["1"] + rows, ["10", "1"]])
    func malformed(rows: [String]) {
        #expect(QRCodeText(rows, style: Self.style(80, 24), linesBelow: 3) == nil)
    }
}
