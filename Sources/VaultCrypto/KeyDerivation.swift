internal import CSodium

/// The two derivations of the format, both over BLAKE2b.
enum KeyDerivation {
    /// Derives a numbered subkey of a key (https://doc.libsodium.org/key_derivation).
    static func subkey(
        _ number: UInt64,
        _ label: StaticString,
        of key: UnsafePointer<UInt8>,
        into output: UnsafeMutablePointer<UInt8>
    ) {
        precondition(label.utf8CodeUnitCount == 8, "a derivation label has 8 bytes")
        label.utf8Start.withMemoryRebound(to: CChar.self, capacity: 8) { label in
            _ = crypto_kdf_derive_from_key(output, KeyLength.key, number, label, key)
        }
    }

    /// Keyed BLAKE2b-256 of a message (https://doc.libsodium.org/hashing/generic_hashing).
    static func hash(
        _ message: Span<UInt8>,
        key: UnsafePointer<UInt8>,
        into output: UnsafeMutablePointer<UInt8>
    ) {
        message.withUnsafeBufferPointer { message in
            _ = crypto_generichash(
                output,
                KeyLength.key,
                message.baseAddress,
                UInt64(message.count),
                key,
                KeyLength.key
            )
        }
    }

    /// The same, for a hash that is no key.
    static func hash(_ message: Span<UInt8>, key: UnsafePointer<UInt8>) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: KeyLength.key)
        hash(message, key: key, into: &output)
        return output
    }

    /// Whether the hash of a message is this one; in constant time, and without asking the heap.
    static func isHash(
        _ hash: Span<UInt8>,
        of message: Span<UInt8>,
        key: UnsafePointer<UInt8>
    ) -> Bool {
        withTransientKey { expected in
            self.hash(message, key: key, into: expected)
            return hash.withUnsafeBufferPointer { hash in
                guard let start = hash.baseAddress, hash.count == KeyLength.key else {
                    return false
                }
                return sodium_memcmp(start, expected, hash.count) == 0
            }
        }
    }
}

/// Compares two hashes in constant time.
func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && sodium_memcmp(left, right, left.count) == 0
}

extension [UInt8] {
    /// Appends an integer, most significant byte first and of fixed width.
    mutating func append(bigEndian value: some FixedWidthInteger) {
        for byte in 1...MemoryLayout.size(ofValue: value) {
            append(UInt8(truncatingIfNeeded: value >> (value.bitWidth - 8 * byte)))
        }
    }

    /// The integer at an offset that is known to be inside.
    func bigEndian<Value: FixedWidthInteger>(at offset: Int) -> Value {
        var value = Value.zero
        for byte in self[offset..<offset + MemoryLayout<Value>.size] {
            value = value << 8 | Value(byte)
        }
        return value
    }
}
