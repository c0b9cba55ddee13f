import FoundationEssentials
import Glibc

/// Looks for a secret in bytes, also where it was encoded.
struct SecretSearch {
    private let forms: [(name: String, bytes: [UInt8])]

    init(for text: String) {
        self.init(for: Array(text.utf8))
    }

    init(for raw: [UInt8]) {
        var forms = Self.plain(raw) + Self.escaped(raw)
        for offset in 0..<3 {
            let whole = Self.base64(raw, after: offset)
            let url = whole.replacing("+", with: "-").replacing("/", with: "_")
            forms += [
                ("base64+\(offset)", Array(whole.utf8)), ("base64url+\(offset)", Array(url.utf8)),
            ]
        }
        // One that another contains would only be searched for twice.
        var seen: Set<[UInt8]> = []
        self.forms = forms.filter { seen.insert($0.bytes).inserted }
    }

    private static func plain(_ raw: [UInt8]) -> [(name: String, bytes: [UInt8])] {
        let hex = hexadecimal(raw)
        return [
            ("raw", raw), ("hex", Array(hex.utf8)), ("HEX", Array(hex.uppercased().utf8)),
            ("UTF-16LE", raw.flatMap { [$0, 0] }), ("UTF-16BE", raw.flatMap { [0, $0] }),
            ("reversed", raw.reversed()),
        ]
    }

    /// In an address or a form (RFC 3986 §2.1), and in JSON (RFC 8259 §7).
    private static func escaped(_ raw: [UInt8]) -> [(name: String, bytes: [UInt8])] {
        func joined(_ piece: (UInt8) -> String) -> [UInt8] { Array(raw.map(piece).joined().utf8) }
        func letter(_ byte: UInt8) -> String { String(UnicodeScalar(byte)) }
        func isUnreserved(_ byte: UInt8) -> Bool {
            UnicodeScalar(byte).properties.isASCIIHexDigit
                || "-._~ghijklmnopqrstuvwxyz".utf8.contains(byte | 0x20)
                || "_~".utf8.contains(byte)
        }
        return [
            (
                "percent",
                joined { isUnreserved($0) ? letter($0) : "%\(hexadecimal([$0]).uppercased())" }
            ),
            (
                "percent, lower case",
                joined { isUnreserved($0) ? letter($0) : "%\(hexadecimal([$0]))" }
            ),
            ("percent, all", joined { "%\(hexadecimal([$0]).uppercased())" }),
            (
                "form",
                joined {
                    $0 == 0x20
                        ? "+" : isUnreserved($0) ? letter($0) : "%\(hexadecimal([$0]).uppercased())"
                }
            ),
            ("JSON \\u", joined { "\\u00\(hexadecimal([$0]))" }),
            ("octal escapes", joined { "\\\(String($0, radix: 8))" }),
            ("hexadecimal escapes", joined { "\\x\(hexadecimal([$0]))" }),
        ] + json(raw)
    }

    private static func json(_ raw: [UInt8]) -> [(name: String, bytes: [UInt8])] {
        func escaped(slash: String, ascii: Bool) -> [UInt8] {
            let pieces = String(decoding: raw, as: UTF8.self).unicodeScalars.map { scalar in
                switch scalar {
                case "\"", "\\": "\\\(scalar)"
                case "/": slash
                case _ where ascii && !scalar.isASCII:
                    "\\u" + String(String(0x10000 + scalar.value, radix: 16).suffix(4))
                default: String(scalar)
                }
            }
            return Array(pieces.joined().utf8)
        }
        return [
            ("JSON", escaped(slash: "/", ascii: false)),
            ("JSON with \\/", escaped(slash: "\\/", ascii: false)),
            ("JSON in ASCII", escaped(slash: "/", ascii: true)),
            ("JSON in ASCII with \\/", escaped(slash: "\\/", ascii: true)),
        ]
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
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
        forms.first { Self.contains(bytes, $0.bytes) }?.name
    }

    /// Whether one array is part of another, at the speed of the C library.
    static func contains(_ hay: [UInt8], _ needle: [UInt8]) -> Bool {
        hay.withUnsafeBytes { hay in needle.withUnsafeBytes { contains(hay, $0) } }
    }

    private static func contains(
        _ hay: UnsafeRawBufferPointer,
        _ needle: UnsafeRawBufferPointer
    ) -> Bool {
        guard let first = needle.first, let whole = needle.baseAddress else { return true }
        var rest = hay[...]
        while rest.count >= needle.count,
            let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress,
            let found = memchr(start, Int32(first), rest.count - needle.count + 1)
        {
            if memcmp(found, whole, needle.count) == 0 { return true }
            rest = rest.dropFirst(UnsafeRawPointer(found) - start + 1)
        }
        return false
    }
}
