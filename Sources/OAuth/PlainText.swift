internal import VaultCrypto

extension String {
    /// Without blanks at its ends.
    var trimmingBlanks: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }),
            let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}

/// Text of the other side made fit to be shown: it may carry terminal commands, or repeat a token.
enum PlainText {
    /// The text on one line, without control and format characters, tokens left out, cut.
    static func clean(_ text: String, limit: Int, without presented: Secret?) -> String? {
        // Cutting first bounds the work; what a token cut in two leaves behind is redacted below.
        // In scalars: a character may have any number of them.
        let line = without(presented, String(text.unicodeScalars.prefix(limit * 4)))
        let seen = String(String.UnicodeScalarView(line.unicodeScalars.compactMap(visible)))
            .split(separator: " ").joined(separator: " ")
        // Again: it may have stood there with what nobody sees in between.
        let words = without(presented, seen).split(separator: " ").map { redacted($0) }
        let cleaned = String(words.joined(separator: " ").unicodeScalars.prefix(limit))
            .trimmingBlanks
        return cleaned.isEmpty ? nil : cleaned
    }

    private static func without(_ presented: Secret?, _ text: String) -> String {
        guard let presented, presented.count >= 4 else { return text }
        // By scalars: with a combining mark after it, the last letter would be another character.
        let scalars = presented.reveal { token in
            text.unicodeScalars.replacing(token.unicodeScalars, with: redaction.unicodeScalars)
        }
        return String(scalars)
    }

    /// The text on one line, without control and format characters, cut; for what holds no token.
    static func line(_ text: String, limit: Int) -> String? {
        // In scalars, of which a character may have any number; cut before, which bounds the work.
        let start = text.unicodeScalars.prefix(limit * 4)
        let seen = String(String.UnicodeScalarView(start.compactMap(visible)))
            .split(separator: " ").joined(separator: " ")
        let line = String(seen.unicodeScalars.prefix(limit)).trimmingBlanks
        return line.isEmpty ? nil : line
    }

    private static let redaction = "<redacted>"

    private static func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.properties.generalCategory {
        case .control: "\t\n\r".unicodeScalars.contains(scalar) ? " " : nil
        // Direction marks and the like can make a line read as another one.
        case .format, .lineSeparator, .paragraphSeparator, .privateUse: nil
        default: scalar
        }
    }

    /// A word without its longest run of token characters, if that run is no identifier.
    private static func redacted(_ word: Substring) -> String {
        let runs = word.split { !isTokenCharacter($0) }
        guard let run = runs.first(where: looksLikeToken) else { return String(word) }
        return redacted(word.replacing(run, with: redaction)[...])
    }

    private static func isTokenCharacter(_ character: Character) -> Bool {
        character.utf8.count == 1
            && character.utf8.allSatisfy { $0.isDigit || $0.isLetter || "-_".utf8.contains($0) }
    }

    /// Long and mixed, or the start of a JSON object in base64; trace identifiers (UUIDs) stay.
    private static func looksLikeToken(_ run: Substring) -> Bool {
        if run.hasPrefix("eyJ") { return true }
        guard run.utf8.count >= 24, run.utf8.contains(where: \.isDigit),
            run.utf8.contains(where: \.isLetter)
        else { return false }
        let groups = run.split(separator: "-", omittingEmptySubsequences: false)
        let isUUID = groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
        return !isUUID || !run.utf8.allSatisfy { $0.isHexDigit || $0 == UInt8(ascii: "-") }
    }
}
