/// Base64 in its two alphabets (RFC 4648 §4 and §5), on bytes: no secret passes through text.
package enum Base64 {
    private static let standard = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )
    private static let url = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
    )

    /// The padded form of §4.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var encoded = encode(bytes, alphabet: standard)
        while !encoded.count.isMultiple(of: 4) { encoded.append(UInt8(ascii: "=")) }
        return encoded
    }

    /// The unpadded form of §5.
    static func encodeURL(_ bytes: [UInt8]) -> [UInt8] {
        encode(bytes, alphabet: url)
    }

    /// Reads either alphabet with any padding, or nothing when another character is among them.
    package static func decode(_ text: Span<UInt8>, in range: Range<Int>) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(range.count / 4 * 3 + 2)
        var end = range.upperBound
        while end > range.lowerBound, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
        // A single character left over holds no whole byte.
        guard (end - range.lowerBound) % 4 != 1 else { return nil }
        var window: UInt32 = 0
        var bits = 0
        for index in range.lowerBound..<end {
            guard let value = value(of: text[index]) else { return nil }
            window = window << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                decoded.append(UInt8(truncatingIfNeeded: window >> UInt32(bits)))
            }
        }
        return decoded
    }

    private static func encode(_ bytes: [UInt8], alphabet: [UInt8]) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity((bytes.count + 2) / 3 * 4)
        var window: UInt32 = 0
        var bits = 0
        for byte in bytes {
            window = window << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                encoded.append(alphabet[Int(window >> UInt32(bits) & 63)])
            }
        }
        if bits > 0 { encoded.append(alphabet[Int(window << UInt32(6 - bits) & 63)]) }
        return encoded
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
