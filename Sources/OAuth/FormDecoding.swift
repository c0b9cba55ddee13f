package import VaultCrypto

/// Reads `application/x-www-form-urlencoded`: answers of a few token endpoints, and redirects.
package enum FormDecoding {
    /// Names and values in order, or nothing when an escape is broken.
    ///
    /// Values are decoded once, keep whatever bytes they hold, and are secrets.
    package static func pairs(_ text: Span<UInt8>) -> [(name: String, value: Secret)]? {
        var pairs: [(name: String, value: Secret)] = []
        var start = 0
        while start <= text.count {
            let end = index(of: "&", in: text, start..<text.count)
            if end > start {
                let equals = index(of: "=", in: text, start..<end)
                guard let name = decode(text, start..<equals),
                    let value = decode(text, min(equals + 1, end)..<end)
                else { return nil }
                pairs.append((String(decoding: name, as: UTF8.self), Secret(bytes: value)))
            }
            start = end + 1
        }
        return pairs
    }

    private static func index(
        of character: Unicode.Scalar,
        in text: Span<UInt8>,
        _ range: Range<Int>
    ) -> Int {
        range.first { text[$0] == UInt8(ascii: character) } ?? range.upperBound
    }

    private static func decode(_ text: Span<UInt8>, _ range: Range<Int>) -> [UInt8]? {
        var decoded: [UInt8] = []
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = text[index]
            index += 1
            if byte == UInt8(ascii: "+") {
                decoded.append(UInt8(ascii: " "))
            } else if byte == UInt8(ascii: "%") {
                guard index + 2 <= range.upperBound, let high = text[index].hexValue,
                    let low = text[index + 1].hexValue
                else { return nil }
                decoded.append(high << 4 | low)
                index += 2
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }
}
