/// A QR code as lines of a terminal, two modules above each other in each character.
struct QRCodeText {
    /// Light modules that ISO/IEC 18004 wants on each side, and those that readers do with.
    private static let quietZones = [4, 2]
    /// Black on white, whatever colours the terminal has: on a dark one, too, readers want dark
    /// modules on a light ground.
    private static let begin = "\u{1b}[30;47m"
    private static let end = "\u{1b}[0m"

    /// The lines, without their ends.
    let lines: [String]

    /// The code with as much of a quiet zone as there is room for; nil where nobody could read it:
    /// without colours, as they may be the wrong way round, without block characters, and where not all
    /// of it is on the screen at one time.
    ///
    /// - Parameters:
    ///   - rows: Its modules from top to bottom, `1` for each dark one.
    ///   - style: What it is to be seen on.
    ///   - linesBelow: Lines that are to be seen together with it.
    init?(_ rows: [String], style: TextStyle, linesBelow: Int) {
        guard style.isTerminal, style.isUnicode, style.hasColour, let width = style.width,
            let height = style.height
        else { return nil }
        let modules = rows.map { $0.map { $0 == "1" } }
        guard !modules.isEmpty, modules.allSatisfy({ $0.count == modules.count }) else {
            return nil
        }
        let zone = Self.quietZones.first { zone in
            let side = modules.count + 2 * zone
            return side <= width && (side + 1) / 2 + linesBelow <= height
        }
        guard let zone else { return nil }
        lines = Self.lines(modules, zone)
    }

    private static func lines(_ modules: [[Bool]], _ zone: Int) -> [String] {
        func isDark(_ row: Int, _ column: Int) -> Bool {
            modules.indices.contains(row) && modules.indices.contains(column)
                && modules[row][column]
        }
        let columns = -zone..<modules.count + zone
        return stride(from: -zone, to: modules.count + zone, by: 2).map { row in
            let cells = columns.map { column -> Character in
                switch (isDark(row, column), isDark(row + 1, column)) {
                case (true, true): "\u{2588}"
                case (true, false): "\u{2580}"
                case (false, true): "\u{2584}"
                case (false, false): " "
                }
            }
            return begin + String(cells) + end
        }
    }
}
