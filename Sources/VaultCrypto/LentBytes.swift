internal import Glibc

// Reading bytes that are lent, without a copy of them.

extension String {
    /// Text from bytes; those that are not UTF-8 are replaced.
    package init(decoding bytes: Span<UInt8>) {
        self = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}

extension Span<UInt8> {
    /// Whether a text's bytes stand at an offset.
    package func has(_ text: StaticString, at offset: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard offset >= 0, offset <= count - length else { return false }
        return withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return length == 0 }
            return memcmp(start + offset, text.utf8Start, length) == 0
        }
    }
}
