internal import Platform
internal import VaultKit

/// Standard output for data, standard error for words.
package struct Terminal: Sendable {
    package init() {}

    /// Writes data; throws when it did not all arrive, so that a full disk or a closed pipe is not
    /// taken for success.
    func data(_ text: String) throws {
        guard !text.isEmpty else { return }
        do {
            try Descriptor.write(text, to: 1)
        } catch {
            throw VaultError(
                .storage,
                facts: [.path: "standard output", .reason: error.description]
            )
        }
    }

    /// Writes words for a person: one line, whatever is in them.
    ///
    /// If even that fails there is nobody to tell.
    func words(_ text: String) {
        try? Descriptor.write("vault: \(Printable.escaped(text))\n", to: 2)
    }

    func error(_ text: String) {
        words("error: \(text)")
    }

    func hint(_ text: String) {
        words("hint: \(text)")
    }

    func warning(_ text: String) {
        words("warning: \(text)")
    }
}

/// Text that came from outside, fit for a terminal.
enum Printable {
    /// Shows as escapes what a terminal obeys, what turns the direction of writing, and what nobody
    /// sees.
    static func escaped(_ text: String) -> String {
        String(
            text.unicodeScalars.flatMap { scalar -> [Character] in
                isHarmless(scalar)
                    ? [Character(scalar)]
                    : Array("\\u{\(String(scalar.value, radix: 16))}")
            }
        )
    }

    /// What is shown of a word that somebody gave: enough to know it by.
    private static let quotedLength = 64

    /// The beginning of a word of the command line.
    static func quoted(_ text: String) -> String {
        // By scalars: one character may be of any number of them.
        let scalars = text.unicodeScalars
        let end = scalars.index(
            scalars.startIndex,
            offsetBy: quotedLength,
            limitedBy: scalars.endIndex
        )
        guard let end, end != scalars.endIndex else { return escaped(text) }
        return escaped(String(scalars[..<end])) + "\u{2026}"
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        // The joiners are part of ordinary words and emoji, and move nothing.
        if scalar == "\u{200c}" || scalar == "\u{200d}" { return true }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: false
        default: true
        }
    }
}
