internal import CSodium

/// The unlocked keys of a vault: seals and opens its records, each only in its own place.
package final class Keyring: Sendable {
    package let vaultID: VaultID
    /// Counts the keyring records written; part of the context this one opened in.
    package let version: UInt64
    /// The epoch that new records are sealed under.
    package let activeEpoch: UInt32
    /// Whether records are being moved to the active epoch; the older ones have keys until then.
    package let isRotating: Bool
    /// Spent-token keys of earlier root keys; mostly none.
    package let earlierSpentKeyCount: Int

    // One piece of guarded memory: the spent-token key, the selection key, the activity key, each
    // epoch's key, then the earlier spent-token keys.
    private let keys: SecretBytes
    private let epochs: [UInt32]
    private static let spentTokenIndex = 0
    static let selectionIndex = 1
    static let activityIndex = 2
    private static let firstEpochIndex = 3

    private init(
        _ plaintext: KeyringPlaintext,
        version: UInt64,
        rootKey: borrowing RootKey,
        vaultID: VaultID
    ) {
        self.vaultID = vaultID
        self.version = version
        activeEpoch = plaintext.activeEpoch
        isRotating = plaintext.isRotating
        earlierSpentKeyCount = plaintext.earlierSpentKeys.count
        epochs = plaintext.entries.map(\.epoch)
        let size = KeyLength.key
        let firstEarlierIndex = Self.firstEpochIndex + epochs.count
        keys = SecretBytes(count: (firstEarlierIndex + earlierSpentKeyCount) * size) { memory in
            rootKey.derive(.spentToken, into: memory + Self.spentTokenIndex * size)
            rootKey.derive(.selection, into: memory + Self.selectionIndex * size)
            rootKey.derive(.activity, into: memory + Self.activityIndex * size)
            for (index, entry) in plaintext.entries.enumerated() {
                let output = memory + (Self.firstEpochIndex + index) * size
                entry.dataKey.withBytes { dataKey in
                    dataKey.withUnsafeBufferPointer { dataKey in
                        guard let dataKey = dataKey.baseAddress else { return }
                        KeyDerivation.subkey(1, "vltrec01", of: dataKey, into: output)
                    }
                }
            }
            for (index, key) in plaintext.earlierSpentKeys.enumerated() {
                let output = memory + (firstEarlierIndex + index) * size
                key.withBytes { key in
                    for index in key.indices { output[index] = key[index] }
                }
            }
        }
    }

    // MARK: - Making and opening the keyring itself

    /// A keyring with one fresh data key, and the record to store for it.
    package static func create(
        rootKey: borrowing RootKey,
        vaultID: VaultID
    ) -> Stored {
        let plaintext = KeyringPlaintext(
            isRotating: false,
            activeEpoch: 1,
            entries: [.fresh(epoch: 1)]
        )
        return stored(plaintext, version: 1, rootKey: rootKey, vaultID: vaultID)
    }

    static func stored(
        _ plaintext: KeyringPlaintext,
        version: UInt64,
        rootKey: borrowing RootKey,
        vaultID: VaultID
    ) -> Stored {
        let keyring = Keyring(plaintext, version: version, rootKey: rootKey, vaultID: vaultID)
        let record = seal(plaintext, version: version, rootKey: rootKey, vaultID: vaultID)
        return (keyring, record.nonce + record.box)
    }

    /// Opens a stored keyring record (nonce, then box).
    package static func open(
        record: [UInt8],
        version: UInt64,
        rootKey: borrowing RootKey,
        vaultID: VaultID
    ) throws(SealingError) -> Keyring {
        let plaintext = try open(
            record,
            version: version,
            rootKey: rootKey,
            vaultID: vaultID
        )
        return Keyring(plaintext, version: version, rootKey: rootKey, vaultID: vaultID)
    }

    static func seal(
        _ plaintext: KeyringPlaintext,
        version: UInt64,
        rootKey: borrowing RootKey,
        vaultID: VaultID,
        nonce: [UInt8] = Randomness.bytes(count: KeyLength.nonce)
    ) -> SealedRecord {
        withRecordKey(version: version, rootKey: rootKey, vaultID: vaultID) { key in
            plaintext.encoded().withBytes { SealedRecord.seal($0, key: key, nonce: nonce) }
        }
    }

    static func open(
        _ record: [UInt8],
        version: UInt64,
        rootKey: borrowing RootKey,
        vaultID: VaultID
    ) throws(SealingError) -> KeyringPlaintext {
        let plaintext = try withRecordKey(version: version, rootKey: rootKey, vaultID: vaultID) {
            key throws(SealingError) in try SealedRecord.open(record.span, key: key)
        }
        return try KeyringPlaintext(decoding: plaintext)
    }

    private static func withRecordKey<Result, Failure: Error>(
        version: UInt64,
        rootKey: borrowing RootKey,
        vaultID: VaultID,
        _ body: (UnsafePointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let context = RecordContext(
            kind: .keyring,
            epoch: 0,
            vaultID: vaultID,
            accountID: .none,
            generation: version
        )
        return try withTransientKey { recordKey throws(Failure) in
            withTransientKey { keyringKey in
                rootKey.derive(.keyring, into: keyringKey)
                KeyDerivation.hash(context.bytes.span, key: keyringKey, into: recordKey)
            }
            return try body(recordKey)
        }
    }

    // MARK: - Records

    /// Seals a record into its place: epoch (u32, big-endian), nonce, box.
    package func seal(
        _ plaintext: Secret,
        kind: RecordKind,
        account: AccountID,
        generation: UInt64
    ) -> [UInt8] {
        let context = RecordContext(
            kind: kind,
            epoch: activeEpoch,
            vaultID: vaultID,
            accountID: account,
            generation: generation
        )
        let sealed = withTransientKey { recordKey in
            deriveRecordKey(context, into: recordKey)
            return plaintext.withBytes { SealedRecord.seal($0, key: recordKey) }
        }
        var record: [UInt8] = []
        record.reserveCapacity(4 + KeyLength.nonce + sealed.box.count)
        record.append(bigEndian: activeEpoch)
        return record + sealed.nonce + sealed.box
    }

    /// Opens a record that was sealed into this very place.
    package func open(
        _ record: [UInt8],
        kind: RecordKind,
        account: AccountID,
        generation: UInt64
    ) throws(SealingError) -> Secret {
        try open(record.span, kind: kind, account: account, generation: generation)
    }

    /// The same, of bytes that are lent.
    package func open(
        _ record: Span<UInt8>,
        kind: RecordKind,
        account: AccountID,
        generation: UInt64
    ) throws(SealingError) -> Secret {
        guard record.count > 4 else { throw SealingError() }
        let context = RecordContext(
            kind: kind,
            epoch: (0..<4).reduce(0) { $0 << 8 | UInt32(record[$1]) },
            vaultID: vaultID,
            accountID: account,
            generation: generation
        )
        return try withTransientKey { recordKey throws(SealingError) in
            guard deriveRecordKey(context, into: recordKey) else { throw SealingError() }
            return try SealedRecord.open(record.extracting(droppingFirst: 4), key: recordKey)
        }
    }

    /// The epoch that a record names, as far as it is one.
    package static func epoch(of record: [UInt8]) -> UInt32? {
        record.count < 4 ? nil : record.bigEndian(at: 0)
    }

    /// False when the context's epoch has no key here.
    @discardableResult
    private func deriveRecordKey(
        _ context: RecordContext,
        into output: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        guard let index = epochs.firstIndex(of: context.epoch) else { return false }
        keys.withBytes { keys in
            KeyDerivation.hash(
                context.bytes.span,
                key: keys + (Self.firstEpochIndex + index) * KeyLength.key,
                into: output
            )
        }
        return true
    }

    // MARK: - Keyed hashes

    /// The hash under which a spent refresh token is remembered, vault-wide.
    package func spentTokenHash(of refreshToken: Secret) -> [UInt8] {
        refreshToken.withBytes { token in
            withSpentTokenMessage(token) { message in
                keys.withBytes { keys in
                    KeyDerivation.hash(message, key: keys + Self.spentTokenIndex * KeyLength.key)
                }
            }
        }
    }

    /// Whether a stored hash is the one of this refresh token.
    package func spentTokenHash(_ hash: Span<UInt8>, isOf refreshToken: Span<UInt8>) -> Bool {
        withSpentTokenMessage(refreshToken) { message in
            keys.withBytes { keys in
                let key = keys + Self.spentTokenIndex * KeyLength.key
                return KeyDerivation.isHash(hash, of: message, key: key)
            }
        }
    }

    /// Every hash under which a spent refresh token may be remembered: that of the present root key
    /// first, then those of earlier ones.
    package func spentTokenHashes(of refreshToken: Secret) -> [[UInt8]] {
        refreshToken.withBytes { spentTokenHashes(of: $0) }
    }

    /// The same, of bytes that are lent.
    package func spentTokenHashes(of refreshToken: Span<UInt8>) -> [[UInt8]] {
        let earlier = Self.firstEpochIndex + epochs.count
        return withSpentTokenMessage(refreshToken) { message in
            keys.withBytes { keys in
                ([Self.spentTokenIndex] + (earlier..<earlier + earlierSpentKeyCount))
                    .map { KeyDerivation.hash(message, key: keys + $0 * KeyLength.key) }
            }
        }
    }

    private func withSpentTokenMessage<Result>(
        _ refreshToken: Span<UInt8>,
        _ body: (Span<UInt8>) -> Result
    ) -> Result {
        let label: StaticString = "VLT1SPT\0"
        let count = label.utf8CodeUnitCount + vaultID.bytes.count + 4 + refreshToken.count
        // On the stack, unless the token is very long: every look-up makes one of these.
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { message in
            var end = 0
            func append(_ byte: UInt8) {
                message.initializeElement(at: end, to: byte)
                end += 1
            }
            for index in 0..<label.utf8CodeUnitCount { append(label.utf8Start[index]) }
            for byte in vaultID.bytes { append(byte) }
            for place in 0..<4 {
                append(UInt8(truncatingIfNeeded: refreshToken.count >> (24 - 8 * place)))
            }
            for index in refreshToken.indices { append(refreshToken[index]) }
            defer { if let start = message.baseAddress { sodium_memzero(start, count) } }
            return body(message.span)
        }
    }

    func keyedHash(_ message: [UInt8], keyAt index: Int) -> [UInt8] {
        keys.withBytes { KeyDerivation.hash(message.span, key: $0 + index * KeyLength.key) }
    }
}
