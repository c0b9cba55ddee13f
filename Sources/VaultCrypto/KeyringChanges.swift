/// The keyrings that follow one: each with the record to store for it, under the next version.
///
/// They are made from the stored record, because an open keyring no longer has its data keys.
extension Keyring {
    /// A keyring and the record to store for it.
    package typealias Stored = (keyring: Keyring, record: [UInt8])

    /// The keyring that begins a rotation: a fresh data key for what is sealed from now on, beside
    /// all that there were.
    package static func beginningRotation(
        of record: [UInt8],
        version: UInt64,
        rootKey: borrowing RootKey,
        vaultID: VaultID
    ) throws(SealingError) -> Stored {
        try changing(record, version: version, rootKey: rootKey, vaultID: vaultID) { plaintext in
            plaintext.addDataKey()
            plaintext.isRotating = true
        }
    }

    /// The keyring that ends a rotation: the active data key alone.
    package static func finishingRotation(
        of record: [UInt8],
        version: UInt64,
        rootKey: borrowing RootKey,
        vaultID: VaultID
    ) throws(SealingError) -> Stored {
        try changing(record, version: version, rootKey: rootKey, vaultID: vaultID) { plaintext in
            plaintext.keepActiveDataKeyAlone()
        }
    }

    private static func changing(
        _ record: [UInt8],
        version: UInt64,
        rootKey: borrowing RootKey,
        vaultID: VaultID,
        _ change: (inout KeyringPlaintext) -> Void
    ) throws(SealingError) -> Stored {
        var plaintext: KeyringPlaintext = try open(
            record,
            version: version,
            rootKey: rootKey,
            vaultID: vaultID
        )
        change(&plaintext)
        return stored(plaintext, version: version + 1, rootKey: rootKey, vaultID: vaultID)
    }

    /// The keyring under a new root key: a fresh data key alone, and what the old root key hashed
    /// spent tokens with.
    package static func rekeying(
        _ record: [UInt8],
        version: UInt64,
        from rootKey: borrowing RootKey,
        to newRootKey: borrowing RootKey,
        vaultID: VaultID
    ) throws(SealingError) -> Stored {
        var plaintext: KeyringPlaintext = try open(
            record,
            version: version,
            rootKey: rootKey,
            vaultID: vaultID
        )
        plaintext.addDataKey()
        plaintext.keepActiveDataKeyAlone()
        let spentKey = SecretBytes(count: KeyLength.key) { rootKey.derive(.spentToken, into: $0) }
        plaintext.earlierSpentKeys.insert(spentKey.withSpan { Secret(copying: $0) }, at: 0)
        plaintext.earlierSpentKeys = Array(
            plaintext.earlierSpentKeys.prefix(KeyringPlaintext.earlierSpentKeysKept)
        )
        return stored(plaintext, version: version + 1, rootKey: newRootKey, vaultID: vaultID)
    }
}

extension KeyringPlaintext {
    /// A fresh data key, which is the active one from now on.
    fileprivate mutating func addDataKey() {
        activeEpoch += 1
        entries.append(.fresh(epoch: activeEpoch))
    }

    fileprivate mutating func keepActiveDataKeyAlone() {
        entries.removeAll { $0.epoch != activeEpoch }
        isRotating = false
    }
}

extension KeyringPlaintext.Entry {
    /// A new data key.
    static func fresh(epoch: UInt32) -> Self {
        let dataKey = SecretBytes.random(count: KeyLength.key).withSpan { Secret(copying: $0) }
        return Self(epoch: epoch, dataKey: dataKey)
    }
}
