internal import CPlatform
internal import Glibc

/// The cells of a terminal.
package struct TerminalSize: Sendable, Equatable {
    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// Of the terminal behind a descriptor; nil where there is none, or it does not know.
    package static func of(_ descriptor: Int32) -> TerminalSize? {
        var (columns, rows): (Int32, Int32) = (0, 0)
        guard cplatform_terminal_size(descriptor, &columns, &rows) == 0, columns > 0, rows > 0
        else { return nil }
        return TerminalSize(columns: Int(columns), rows: Int(rows))
    }
}

/// Shows something on a screen of its own until a signal ends the program.
///
/// The terminal is as it was before on every way out: the signal takes its effect after that. After
/// Ctrl-Z and `fg` the screen comes back.
package enum LiveScreen {
    // The other screen, without a cursor, and with lines that are cut and not wrapped (xterm's
    // ctlseqs, DECSET 1049, 25 and 7).
    private static let enter = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l"
    private static let leave = "\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

    /// Shows what `frame` gives, again after as many seconds as it says, and at once when the size of
    /// the terminal changes.
    ///
    /// - Throws: What `frame` throws; an error of the terminal.
    package static func show(
        on descriptor: Int32,
        _ frame: () throws -> (lines: [String], seconds: Double)
    ) throws -> Never {
        while true {
            try SystemError.check(cplatform_watch_begin())
            var ending: Int32 = 0
            defer { cplatform_watch_end(ending) }
            defer { try? Descriptor.write(leave, to: descriptor) }
            try Descriptor.write(enter, to: descriptor)
            while ending == 0 {
                let (lines, seconds) = try frame()
                try Descriptor.write(picture(lines), to: descriptor)
                let signal = cplatform_watch_wait(Int32(seconds * 1000))
                if signal != SIGWINCH { ending = max(signal, 0) }
            }
        }
    }

    /// Over what was there, in one piece: nothing flickers.
    static func picture(_ lines: [String]) -> String {
        "\u{1b}[H" + lines.map { "\($0)\u{1b}[K" }.joined(separator: "\r\n") + "\u{1b}[J"
    }
}
