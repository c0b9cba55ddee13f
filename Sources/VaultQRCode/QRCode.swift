internal import CQREncode

/// A text as a QR code (ISO/IEC 18004): a square of dark and light modules.
package struct QRCode: Sendable, Hashable {
    /// The rows from top to bottom, without the quiet zone; a dark module is true.
    package let modules: [[Bool]]

    /// The smallest code that has the text in it.
    ///
    /// A screen is not soiled or torn: the lowest level of error correction, which makes the largest
    /// modules, is enough.
    ///
    /// - Returns: Nil for a text that is empty, has a NUL in it, or is too long for any code.
    package init?(_ text: String) {
        guard !text.isEmpty, !text.utf8.contains(0),
            let code = QRcode_encodeString(text, 0, QR_ECLEVEL_L, QR_MODE_8, 1)
        else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        guard width > 0, let data = code.pointee.data else { return nil }
        modules = (0..<width).map { row in
            // The lowest bit is the colour; the others say what a module is for.
            (0..<width).map { column in data[row * width + column] & 1 == 1 }
        }
    }
}
