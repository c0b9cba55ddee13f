/// Words as systemd reads them in a unit (systemd.syntax(7), systemd.unit(5)).
enum UnitText {
    /// A whole word of a list or of a command line.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for character in specified(text) {
            if character == "\"" || character == "\\" { quoted.append("\\") }
            quoted.append(character)
        }
        return quoted + "\""
    }

    /// The same for a command line, where a dollar sign begins a variable.
    static func quotedArgument(_ text: String) -> String {
        quoted(text).replacing("$", with: "$$")
    }

    /// A path that is the rest of its line.
    static func specified(_ text: String) -> String {
        text.replacing("%", with: "%%")
    }

    /// The instance of a template for a directory, from which `%f` gives the directory again
    /// (systemd-escape(1), `--path`).
    static func instance(_ path: String) -> String {
        let names = path.split(separator: "/").filter { $0 != "." }
        guard !names.isEmpty else { return "-" }
        let joined = names.joined(separator: "/")
        return joined.utf8.enumerated().map { index, byte in
            escaped(byte, isFirst: index == 0)
        }
        .joined()
    }

    private static func escaped(_ byte: UInt8, isFirst: Bool) -> String {
        let character = Character(Unicode.Scalar(byte))
        if byte == UInt8(ascii: "/") { return "-" }
        let isPlain =
            character.isASCII && (character.isLetter || character.isNumber)
            || ":_".contains(character) || character == "." && !isFirst
        guard !isPlain else { return String(character) }
        let digits = String(byte, radix: 16)
        return "\\x" + (digits.count == 1 ? "0" : "") + digits
    }
}
