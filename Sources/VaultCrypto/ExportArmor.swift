internal import CSodium

/// An export as text that survives mail and clipboards: base64 in lines of 64 between two lines
/// that name it, as RFC 7468 §3 has it.
package enum ExportArmor {
    static let firstLine = "-----BEGIN VAULT EXPORT-----"
    static let lastLine = "-----END VAULT EXPORT-----"
    private static let lineLength = 64
    private static let lineFeed = UInt8(ascii: "\n")

    /// The text of an export.
    package static func text(of envelope: ExportEnvelope) -> [UInt8] {
        text(bytes: envelope.bytes)
    }

    static func text(bytes: [UInt8]) -> [UInt8] {
        let digits = base64(bytes)
        var text = Array(firstLine.utf8) + [lineFeed]
        text.reserveCapacity(digits.count + digits.count / lineLength + 64)
        for start in stride(from: 0, to: digits.count, by: lineLength) {
            text += digits[start..<min(start + lineLength, digits.count)]
            text.append(lineFeed)
        }
        return text + Array(lastLine.utf8) + [lineFeed]
    }

    /// The export that a text is.
    ///
    /// What a mail program or an editor may do is put up with: blank space around it, and line ends
    /// of another kind. Everything else has to be as it was written.
    package static func envelope(_ text: [UInt8]) throws(ExportError) -> ExportEnvelope {
        guard text.count <= ExportEnvelope.sizeLimit else { throw .tooLarge }
        var lines = lines(of: text)
        guard lines.first.map({ $0.elementsEqual(firstLine.utf8) }) ?? false else {
            throw isCutShort(text) ? .cutShort : .notAnExport
        }
        lines = lines.dropFirst()
        guard let end = lines.firstIndex(where: { $0.elementsEqual(lastLine.utf8) }) else {
            throw .cutShort
        }
        guard end == lines.indices.last else { throw .trailingBytes }
        lines = lines.dropLast()
        guard let shortest = lines.last, lines.dropLast().allSatisfy({ $0.count == lineLength }),
            (1...lineLength).contains(shortest.count), let bytes = bytes(base64: lines.joined())
        else { throw .damaged }
        return try ExportEnvelope(bytes: bytes)
    }

    /// Whether a text looks like one, whatever is wrong with it.
    package static func isExport(_ text: [UInt8]) -> Bool {
        text.drop(while: isBlank).starts(with: firstLine.utf8)
    }

    private static func lines(of text: [UInt8]) -> ArraySlice<ArraySlice<UInt8>> {
        let lines = text.split(separator: lineFeed, omittingEmptySubsequences: false).map { line in
            line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }
        let isEmpty: (ArraySlice<UInt8>) -> Bool = { $0.allSatisfy(isBlank) }
        guard let last = lines.lastIndex(where: { !isEmpty($0) }) else { return [] }
        return lines[...last].drop(while: isEmpty)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0d).contains(byte)
    }

    /// Whether a text is the beginning of the first line.
    private static func isCutShort(_ text: [UInt8]) -> Bool {
        let rest = text.drop(while: isBlank)
        return rest.count > 5 && firstLine.utf8.starts(with: rest)
    }

    private static func base64(_ bytes: [UInt8]) -> [UInt8] {
        let capacity = sodium_base64_encoded_len(bytes.count, sodium_base64_VARIANT_ORIGINAL)
        var digits = [CChar](repeating: 0, count: capacity)
        sodium_bin2base64(
            &digits,
            capacity,
            bytes,
            bytes.count,
            sodium_base64_VARIANT_ORIGINAL
        )
        // The last one ends a C string.
        return digits.dropLast().map { UInt8(bitPattern: $0) }
    }

    /// Reads base64 of one spelling: libsodium refuses blanks, missing padding and stray bits.
    private static func bytes(base64 digits: some Sequence<UInt8>) -> [UInt8]? {
        let digits = digits.map { CChar(bitPattern: $0) }
        var bytes = [UInt8](repeating: 0, count: digits.count / 4 * 3)
        var count = 0
        let failed = sodium_base642bin(
            &bytes,
            bytes.count,
            digits,
            digits.count,
            nil,
            &count,
            nil,
            sodium_base64_VARIANT_ORIGINAL
        )
        guard failed == 0 else { return nil }
        return Array(bytes.prefix(count))
    }
}
