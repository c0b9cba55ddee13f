internal import CSodium

/// A record that does not open.
///
/// Why is not told: nothing in it can be trusted.
package struct SealingError: Error, Equatable, Sendable {
    package init() {}
}

/// A padded secretbox and its nonce (https://doc.libsodium.org/secret-key_cryptography/secretbox).
struct SealedRecord {
    let nonce: [UInt8]
    let box: [UInt8]

    /// Pads the plaintext to a multiple of 512 bytes, which hides its length and lets a rotated
    /// pair take the place of the old one, and seals it under a key.
    static func seal(
        _ plaintext: Span<UInt8>,
        key: UnsafePointer<UInt8>,
        nonce: [UInt8] = Randomness.bytes(count: KeyLength.nonce)
    ) -> SealedRecord {
        let block = KeyLength.padding
        let paddedCount = (plaintext.count / block + 1) * block
        var padded = [UInt8](repeating: 0, count: paddedCount)
        defer { sodium_memzero(&padded, padded.count) }
        for index in plaintext.indices { padded[index] = plaintext[index] }
        var length = 0
        let failed = sodium_pad(&length, &padded, plaintext.count, block, padded.count)
        precondition(failed == 0 && length == paddedCount, "the padding always fits")
        var box = [UInt8](repeating: 0, count: paddedCount + KeyLength.authenticator)
        _ = crypto_secretbox_easy(&box, padded, UInt64(padded.count), nonce, key)
        return SealedRecord(nonce: nonce, box: box)
    }

    /// The plaintext, if every byte is the one that was sealed under this key.
    func open(key: UnsafePointer<UInt8>) throws(SealingError) -> Secret {
        guard
            nonce.count == KeyLength.nonce,
            box.count >= KeyLength.padding + KeyLength.authenticator
        else { throw SealingError() }
        var padded = [UInt8](repeating: 0, count: box.count - KeyLength.authenticator)
        defer { sodium_memzero(&padded, padded.count) }
        var length = 0
        guard
            crypto_secretbox_open_easy(&padded, box, UInt64(box.count), nonce, key) == 0,
            sodium_unpad(&length, padded, padded.count, KeyLength.padding) == 0
        else { throw SealingError() }
        return padded.withUnsafeBufferPointer { bytes in
            Secret(copying: UnsafeBufferPointer(rebasing: bytes[..<length]).span)
        }
    }
}
