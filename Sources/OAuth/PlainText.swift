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
        var line = String(text.prefix(limit * 4))
        if let presented, presented.count >= 4 {
            line = presented.reveal { line.replacing($0, with: redaction) }
        }
        let shown = String(String.UnicodeScalarView(line.unicodeScalars.compactMap(visible)))
        let words = shown.split(separator: " ").map { redacted($0) }
        let cleaned = String(words.joined(separator: " ").prefix(limit)).trimmingBlanks
        return cleaned.isEmpty ? nil : cleaned
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
