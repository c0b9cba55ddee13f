/// Every change of one byte by several bit patterns, every truncation, and one byte too many.
enum Tampering {
    private static let patterns: [UInt8] = [1, 2, 4, 8, 16, 32, 64, 128, 0x55, 0xff]

    /// What a check let through, in words; empty when it refused everything.
    static func accepted(of original: [UInt8], by opens: ([UInt8]) -> Bool) -> [String] {
        changes(of: original, accepting: opens) + truncations(of: original, accepting: opens)
    }

    private static func changes(
        of original: [UInt8],
        accepting opens: ([UInt8]) -> Bool
    ) -> [String] {
        var accepted: [String] = []
        var bytes = original
        for index in bytes.indices {
            for pattern in patterns {
                bytes[index] ^= pattern
                if opens(bytes) { accepted.append("byte \(index) changed by \(pattern)") }
                bytes[index] ^= pattern
            }
        }
        return accepted
    }

    private static func truncations(
        of original: [UInt8],
        accepting opens: ([UInt8]) -> Bool
    ) -> [String] {
        var accepted: [String] = []
        for count in original.indices {
            if opens(Array(original.prefix(count))) { accepted.append("first \(count) bytes") }
            if count > 0, opens(Array(original.suffix(count))) {
                accepted.append("last \(count) bytes")
            }
        }
        if opens(original + [0]) { accepted.append("one byte more at the end") }
        if opens([0] + original) { accepted.append("one byte more at the start") }
        return accepted
    }
}
