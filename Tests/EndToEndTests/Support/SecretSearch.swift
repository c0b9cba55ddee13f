import FoundationEssentials

/// Looks for a text in bytes, also where it was encoded.
struct SecretSearch {
    private let forms: [(name: String, bytes: [UInt8])]

    init(for text: String) {
        let raw = Array(text.utf8)
        let hex = raw.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        var forms: [(String, [UInt8])] = [
            ("raw", raw), ("hex", Array(hex.utf8)), ("HEX", Array(hex.uppercased().utf8)),
            ("UTF-16LE", raw.flatMap { [$0, 0] }), ("UTF-16BE", raw.flatMap { [0, $0] }),
            ("reversed", raw.reversed()),
        ]
        for offset in 0..<3 {
            let whole = Self.base64(raw, after: offset)
            forms.append(("base64+\(offset)", Array(whole.utf8)))
            let url = whole.replacing("+", with: "-").replacing("/", with: "_")
            forms.append(("base64url+\(offset)", Array(url.utf8)))
        }
        self.forms = forms
    }

    /// The letters that stand for the text alone, when `offset` bytes come before it.
    private static func base64(_ bytes: [UInt8], after offset: Int) -> String {
        let padded = Data([UInt8](repeating: 0, count: offset) + bytes).base64EncodedString()
        // Three bytes are four letters; a letter is the text's when all six bits are.
        let first = (offset * 8 + 5) / 6
        let last = (offset + bytes.count) * 8 / 6
        return String(Array(padded)[first..<last])
    }

    /// The first form that is there.
    func firstFound(in bytes: [UInt8]) -> String? {
        let text = Data(bytes)
        return forms.first { text.firstRange(of: Data($0.bytes)) != nil }?.name
    }
}
