internal import VaultCrypto

/// A recovery key as a person writes it down: Crockford's base32 (crockford.com/base32.html) in
/// groups of four, 52 digits for the 32 bytes and two that check them.
enum RecoveryKey {
    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let keyDigits = 52
    private static let checkDigits = 2

    /// How a key is shown.
    static func text(of secret: borrowing SecretBytes) -> Secret {
        var values = secret.withSpan { bytes in Self.values(of: bytes) }
        defer { wipe(&values) }
        values += check(of: values)
        var text: [UInt8] = []
        // Growing later would leave copies of the key behind, unwiped.
        text.reserveCapacity(values.count + values.count / 4)
        for (index, value) in values.enumerated() {
            if index > 0, index % 4 == 0 { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(value)])
        }
        return Secret(wiping: &text)
    }

    /// The key that a text stands for, in either case, with or without its dashes.
    static func secret(from text: Secret) throws(StoreError) -> SecretBytes {
        var values: [UInt8] = []
        values.reserveCapacity(keyDigits + checkDigits)
        defer { wipe(&values) }
        let isReadable = text.withBytes { bytes in
            for index in bytes.indices where !isSeparator(bytes[index]) {
                guard values.count < keyDigits + checkDigits, let value = value(of: bytes[index])
                else { return false }
                values.append(value)
            }
            return values.count == keyDigits + checkDigits
        }
        guard isReadable, Array(values.suffix(checkDigits)) == check(of: values.dropLast(2)),
            // 52 digits hold 4 bits more than 32 bytes.
            values[keyDigits - 1] & 0x0f == 0
        else { throw .locked(.recoveryKeyMalformed) }
        var bytes = Self.bytes(of: values.prefix(keyDigits))
        defer { wipe(&bytes) }
        return SecretBytes(copying: bytes.span)
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: " ")
    }

    /// What a digit is worth; letters that look like digits are taken for them.
    private static func value(of byte: UInt8) -> UInt8? {
        let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 32 : byte
        let digit: UInt8 =
            switch upper {
            case UInt8(ascii: "O"): UInt8(ascii: "0")
            case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
            default: upper
            }
        return digits.firstIndex(of: digit).map { UInt8($0) }
    }

    private static func values(of bytes: Span<UInt8>) -> [UInt8] {
        var values: [UInt8] = []
        values.reserveCapacity(keyDigits + checkDigits)
        var pending: UInt16 = 0
        var count: UInt16 = 0
        for index in bytes.indices {
            pending = pending << 8 | UInt16(bytes[index])
            count += 8
            while count >= 5 {
                count -= 5
                values.append(UInt8(pending >> count & 0x1f))
            }
        }
        if count > 0 { values.append(UInt8(pending << (5 - count) & 0x1f)) }
        return values
    }

    private static func bytes(of values: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(KeyLength.key)
        var pending: UInt16 = 0
        var count: UInt16 = 0
        for value in values {
            pending = pending << 5 | UInt16(value)
            count += 5
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: pending >> count))
        }
        return bytes
    }

    /// Ten bits of a hash: a mistyped key is told from a wrong one.
    private static func check(of values: some Sequence<UInt8>) -> [UInt8] {
        let hash = Digest.blake2b(Array("VLT1RCV\0".utf8) + values)
        return [hash[0] & 0x1f, hash[1] & 0x1f]
    }
}
