/// The media types that a client takes, as its Accept fields say (RFC 9110 §12.5.1).
package struct AcceptedTypes: Sendable {
    private struct Range: Sendable {
        /// A type, all of a main type as `text/*`, or `*/*`.
        let name: String
        let isWanted: Bool
    }

    /// Nil where there was no field: then everything is taken.
    private let ranges: [Range]?

    package init(_ fields: [String]) {
        ranges =
            fields.isEmpty
            ? nil
            : fields.flatMap { Self.split($0, at: ",") }.compactMap(Self.range)
    }

    /// Whether an answer of this type is taken: what names it most closely decides.
    package func include(_ type: String) -> Bool {
        guard let ranges else { return true }
        let main = type.prefix { $0 != "/" }
        for name in [type, main + "/*", "*/*"] {
            let found = ranges.filter { $0.name == name }
            // One that has parameters may be refused where the plain one is not.
            if !found.isEmpty { return found.contains(where: \.isWanted) }
        }
        return false
    }

    private static func range(_ text: String) -> Range? {
        let parts = split(text, at: ";").map { trimmed($0).lowercased() }
        guard let name = parts.first, !name.isEmpty else { return nil }
        let isRefused = parts.dropFirst().contains { part in
            part.hasPrefix("q=") && Double(part.dropFirst(2)) == 0
        }
        return Range(name: name, isWanted: !isRefused)
    }

    /// The pieces between separators that stand in no quoted string.
    private static func split(_ text: String, at separator: Unicode.Scalar) -> [String] {
        var pieces: [String] = []
        var piece = String.UnicodeScalarView()
        var isQuoted = false
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if scalar == separator, !isQuoted {
                pieces.append(String(piece))
                piece = String.UnicodeScalarView()
                continue
            }
            if scalar == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && scalar == "\\" && !isEscaped
            piece.append(scalar)
        }
        return pieces + [String(piece)]
    }

    private static func trimmed(_ text: String) -> String {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        let start = text.drop(while: isBlank)
        guard let last = start.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(start[...last])
    }
}
