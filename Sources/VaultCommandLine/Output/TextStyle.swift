internal import Platform

/// How text is laid out: by what it goes to.
struct TextStyle: Sendable, Equatable {
    /// Cells across; nil where lines may be of any length.
    var width: Int?
    /// Lines that fit; nil where there may be any number.
    var height: Int?
    /// Whether a person is looking at it as it comes.
    var isTerminal = false
    /// Whether what shows it knows more than ASCII.
    var isUnicode = false
    var hasColour = false

    /// Plain text of any size, the same wherever it goes.
    static let plain = TextStyle()

    /// The style for what a descriptor leads to.
    static func of(_ descriptor: Int32) -> TextStyle {
        TextStyle(
            isTerminal: Descriptor.isTerminal(descriptor),
            size: TerminalSize.of(descriptor),
            variable: { Environment[$0] }
        )
    }

    /// The same from facts.
    ///
    /// `NO_COLOR` (no-color.org) takes all colour away, `CLICOLOR_FORCE` gives it to a pipe too
    /// (bixense.com/clicolors), and `COLUMNS` is what a shell says of the width.
    init(isTerminal: Bool, size: TerminalSize?, variable: (String) -> String?) {
        let isDumb = variable("TERM").map { $0 == "dumb" } ?? true
        let isForced = variable("CLICOLOR_FORCE").map { $0 != "0" } ?? false
        hasColour = variable("NO_COLOR") == nil && (isForced || isTerminal && !isDumb)
        self.isTerminal = isTerminal
        guard isTerminal else { return }
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first ?? ""
        isUnicode = locale.uppercased().replacing("-", with: "").hasSuffix("UTF8")
        let told = variable("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        width = told ?? size?.columns ?? 80
        height = size?.rows
    }

    init() {}

    /// What a text is told by.
    enum Ink: String, Sendable {
        case plain = ""
        case bold = "1"
        case faint = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    func painted(_ text: String, _ ink: Ink) -> String {
        guard hasColour, ink != .plain, !text.isEmpty else { return text }
        return "\u{1b}[\(ink.rawValue)m\(text)\u{1b}[0m"
    }

    private var ellipsis: String { isUnicode ? "\u{2026}" : "..." }

    /// A text of one line that fits, cut where it must be.
    func fitted(_ text: String, _ cells: Int) -> String {
        guard text.count > cells else { return text }
        return String(text.prefix(max(cells - ellipsis.count, 0)) + ellipsis.prefix(max(cells, 0)))
    }
}
