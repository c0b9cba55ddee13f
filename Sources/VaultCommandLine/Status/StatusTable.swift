internal import VaultAgentClient

/// The accounts in columns: as many of them as the width has room for.
struct StatusTable: Sendable {
    let lines: [AccountLine]
    let style: TextStyle

    enum Column: Sendable, Equatable {
        case mark, name, bar(Int), expires, state, refresh, grant, trouble

        var header: String {
            switch self {
            case .mark: ""
            case .name: "NAME"
            case .bar: "LEFT"
            case .expires: "EXPIRES"
            case .state: "STATE"
            case .refresh: "REFRESH"
            case .grant: "GRANT ENDS"
            case .trouble: "TROUBLE"
            }
        }
    }

    /// From what needs most room to what needs least: the bar shrinks first, then goes what matters
    /// least.
    private var layouts: [[Column]] {
        let hasGrants = lines.contains { $0.status.grantEndsAt != nil }
        let grant: [Column] = hasGrants ? [.grant] : []
        let plain: [Column] = [.mark, .name, .state, .expires, .refresh] + grant + [.trouble]
        // The same wherever it goes, for those who read it by machine all the same.
        guard style.isTerminal else { return [plain] }
        return [
            [.mark, .name, .bar(12), .expires, .state, .refresh] + grant + [.trouble],
            [.mark, .name, .bar(6), .expires, .state, .refresh, .trouble],
            [.mark, .name, .bar(6), .expires, .state, .trouble],
            [.mark, .name, .expires, .state, .trouble],
            [.mark, .name, .expires, .state],
            [.mark, .name, .state],
            [.name, .state],
        ]
    }

    private static let gap = "  "
    /// Cells that a name or a trouble has at least, before a column goes for it.
    private static let leastText = 12

    var text: [String] {
        guard !lines.isEmpty else { return [] }
        let columns = layouts.first(where: { need($0) <= style.width ?? .max }) ?? [.name, .state]
        let widths = widths(of: columns)
        let header = zip(columns, widths).map { column, width in
            style.painted(padded(column.header, width, isLast: column == columns.last), .faint)
        }
        return [row(header)]
            + lines.map { line in
                row(
                    zip(columns, widths).map { column, width in
                        cell(column, of: line, width, isLast: column == columns.last)
                    }
                )
            }
    }

    private func row(_ cells: [String]) -> String {
        cells.joined(separator: Self.gap)
    }

    // MARK: - Widths

    /// The cells that the longest entry of a column takes.
    private func longest(_ column: Column) -> Int {
        if case .bar(let width) = column { return width }
        let entries = lines.map { plain(column, of: $0).count }.max() ?? 0
        return max(entries, column.header.count)
    }

    private func need(_ columns: [Column]) -> Int {
        let cells = columns.map { column in
            column == .name || column == .trouble
                ? min(longest(column), Self.leastText) : longest(column)
        }
        return cells.reduce(0, +) + Self.gap.count * (columns.count - 1)
    }

    /// The names get what is left first, then the troubles.
    private func widths(of columns: [Column]) -> [Int] {
        var widths = columns.map(longest)
        guard let limit = style.width else { return widths }
        let total = widths.reduce(0, +) + Self.gap.count * (columns.count - 1)
        var excess = total - limit
        for column in [Column.trouble, .name] where excess > 0 {
            guard let index = columns.firstIndex(of: column) else { continue }
            let least = column == .name ? 1 : Self.leastText
            let taken = min(excess, max(widths[index] - least, 0))
            widths[index] -= taken
            excess -= taken
        }
        return widths
    }

    // MARK: - Cells

    private func plain(_ column: Column, of line: AccountLine) -> String {
        switch column {
        case .mark: line.status.account.current == true ? "*" : " "
        case .name: line.name
        case .bar(let width): bar(line.lifeLeft, width)
        case .expires: line.expires
        case .state: line.state
        case .refresh: line.refresh
        case .grant: line.grantEnds
        case .trouble: line.trouble(style)
        }
    }

    private func cell(
        _ column: Column,
        of line: AccountLine,
        _ width: Int,
        isLast: Bool
    ) -> String {
        let text = padded(style.fitted(plain(column, of: line), width), width, isLast: isLast)
        return style.painted(text, ink(column, line))
    }

    private func ink(_ column: Column, _ line: AccountLine) -> TextStyle.Ink {
        switch column {
        case .mark: .bold
        case .name: line.status.account.current == true ? .bold : .plain
        case .bar: (line.lifeLeft ?? 1) > 0.1 ? .green : .yellow
        case .state: line.standing.ink
        case .trouble: line.trouble(style) == "none" ? .faint : line.standing.ink
        case .grant: line.isGrantEndNear ? .yellow : .plain
        case .expires, .refresh: .plain
        }
    }

    private func padded(_ text: String, _ width: Int, isLast: Bool) -> String {
        isLast ? text : text + String(repeating: " ", count: max(width - text.count, 0))
    }

    /// A bar of eighths of a cell (U+2588 to U+258F), or of whole ones in ASCII.
    func bar(_ part: Double?, _ width: Int) -> String {
        guard let part else { return String(repeating: " ", count: width) }
        guard style.isUnicode else {
            let full = Int((part * Double(width)).rounded())
            return String(repeating: "#", count: full)
                + String(repeating: ".", count: width - full)
        }
        let eighths = Int((part * Double(width) * 8).rounded())
        let blocks = ["", "\u{258f}", "\u{258e}", "\u{258d}", "\u{258c}", "\u{258b}", "\u{258a}"]
        let rest = (blocks + ["\u{2589}"])[eighths % 8]
        let bar = String(repeating: "\u{2588}", count: eighths / 8) + rest
        return bar + String(repeating: "\u{b7}", count: width - bar.count)
    }
}
