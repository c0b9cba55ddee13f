internal import CSodium

/// What deriving a key from a passphrase costs (https://doc.libsodium.org/password_hashing).
package struct PassphraseCost: Sendable, Equatable {
    /// Argon2id passes.
    package let passes: UInt32
    /// Argon2id memory in bytes.
    package let memory: UInt64

    package init(passes: UInt32, memory: UInt64) {
        self.passes = passes
        self.memory = memory
    }

    /// Of a slot whose secret is a key already.
    package static let none = PassphraseCost(passes: 0, memory: 0)
    /// 3 passes over 256 MiB: about a third of a second.
    package static let standard = PassphraseCost(passes: 3, memory: 256 << 20)

    /// The bounds within which a file may ask for work: checked before any is done, so that an
    /// edited slot cannot take the machine's memory.
    private static let allowedPasses: ClosedRange<UInt32> = 1...16
    private static let allowedMemory: ClosedRange<UInt64> = 8 << 20...2 << 30

    /// Whether this program does so much work on behalf of a file.
    package var isAllowed: Bool {
        Self.allowedPasses.contains(passes) && Self.allowedMemory.contains(memory)
    }

    /// The slot secret that a passphrase (its UTF-8 bytes) makes with this cost and salt.
    package func secret(
        from passphrase: borrowing SecretBytes,
        salt: [UInt8]
    ) throws(KeySlotError) -> SecretBytes {
        guard isAllowed, salt.count == 16 else { throw .parametersOutOfRange }
        return try SecretBytes(count: KeyLength.key) { output throws(KeySlotError) in
            let failed = passphrase.withBytes { bytes in
                bytes.withMemoryRebound(to: CChar.self, capacity: passphrase.count) { bytes in
                    crypto_pwhash(
                        output,
                        UInt64(KeyLength.key),
                        bytes,
                        UInt64(passphrase.count),
                        salt,
                        UInt64(passes),
                        Int(memory),
                        crypto_pwhash_ALG_ARGON2ID13
                    )
                }
            }
            guard failed == 0 else { throw .outOfMemory }
        }
    }
}
