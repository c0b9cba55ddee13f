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
        guard nonce.count == KeyLength.nonce else { throw SealingError() }
        return try Self.open((nonce + box).span, key: key)
    }

    /// The plaintext of a record as it is stored: nonce, then box.
    static func open(
        _ record: Span<UInt8>,
        key: UnsafePointer<UInt8>
    ) throws(SealingError) -> Secret {
        let paddedCount = record.count - KeyLength.nonce - KeyLength.authenticator
        guard paddedCount >= KeyLength.padding else { throw SealingError() }
        return try record.withUnsafeBufferPointer { record throws(SealingError) in
            // Opened where it stays: no copy of it is left to be wiped.
            try Secret(capacity: KeyLength.key + paddedCount) { memory throws(SealingError) in
                guard let nonce = record.baseAddress, let plaintext = memory.baseAddress,
                    openSecretbox(
                        nonce + KeyLength.nonce,
                        nonce: nonce,
                        key: key,
                        into: plaintext,
                        count: paddedCount
                    ),
                    let count = unpaddedCount(
                        UnsafeMutableBufferPointer(start: plaintext, count: paddedCount)
                    )
                else { throw SealingError() }
                return count
            }
        }
    }

    /// What `crypto_secretbox_open_easy` does, in little more than half the time.
    ///
    /// A secretbox is an authenticator, then the plaintext under the XSalsa20 stream from its 33rd byte
    /// on; the 32 before are the authenticator's key (https://cr.yp.to/highspeed/naclcrypto-20090310.pdf,
    /// section 10). libsodium makes that stream in three pieces, the last of which ends in the middle of
    /// what it does at a time, and padded records are where that costs most. In one piece it needs 32
    /// bytes more of memory, wiped with the plaintext. Nothing is decrypted before it is authentic.
    private static func openSecretbox(
        _ box: UnsafePointer<UInt8>,
        nonce: UnsafePointer<UInt8>,
        key: UnsafePointer<UInt8>,
        into memory: UnsafeMutablePointer<UInt8>,
        count: Int
    ) -> Bool {
        let ciphertext = box + KeyLength.authenticator
        let stream = memory + KeyLength.key
        crypto_stream_xsalsa20(memory, UInt64(KeyLength.key + count), nonce, key)
        guard crypto_onetimeauth_poly1305_verify(box, ciphertext, UInt64(count), memory) == 0
        else { return false }
        // Each byte goes to where the stream was used up.
        for index in 0..<count { memory[index] = stream[index] ^ ciphertext[index] }
        return true
    }

    /// Bytes before the padding, a 0x80 and zeros; nil unless it begins in the last block.
    ///
    /// Not libsodium's, which takes as long for every length: nobody gets here who has not got the
    /// key.
    private static func unpaddedCount(_ padded: UnsafeMutableBufferPointer<UInt8>) -> Int? {
        let lastBlock = padded.count - KeyLength.padding
        let word = MemoryLayout<UInt64>.size
        let bytes = UnsafeRawBufferPointer(padded)
        var end = padded.count
        while end - word >= lastBlock,
            bytes.loadUnaligned(fromByteOffset: end - word, as: UInt64.self) == 0
        {
            end -= word
        }
        while end > lastBlock, bytes[end - 1] == 0 { end -= 1 }
        return end > lastBlock && bytes[end - 1] == 0x80 ? end - 1 : nil
    }
}
