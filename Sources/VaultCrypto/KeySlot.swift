internal import CSodium

/// Why a slot gives no root key.
package enum KeySlotError: Error, Equatable, Sendable {
    /// The commitment is not that of this secret: another passphrase or key file, or an edited slot.
    case wrongSecret
    /// The secret is right and the wrapped key is not.
    case damaged
    /// The work asked for is outside what this program runs on behalf of a file.
    case parametersOutOfRange
    /// The system did not give the memory that Argon2id needs.
    case outOfMemory
}

/// One way to the root key: the root key wrapped under a key made from a secret.
package struct KeySlot: Sendable, Equatable {
    /// What kind of secret opens the slot.
    package enum Kind: UInt8, Sendable {
        case passphrase = 1
        case keyFile = 2
        case recoveryKey = 3
    }

    package let number: UInt16
    package let kind: Kind
    /// Argon2id parameters; both 0 where the secret is a key already.
    package let cost: PassphraseCost
    package let salt: [UInt8]
    /// Keyed hash of the context under the secret, compared before the box is opened: secretbox
    /// does not commit to its key, and a box that opens under two keys can be built.
    package let commitment: [UInt8]
    package let nonce: [UInt8]
    package let wrappedRootKey: [UInt8]

    package init(
        number: UInt16,
        kind: Kind,
        cost: PassphraseCost,
        salt: [UInt8],
        commitment: [UInt8],
        nonce: [UInt8],
        wrappedRootKey: [UInt8]
    ) {
        self.number = number
        self.kind = kind
        self.cost = cost
        self.salt = salt
        self.commitment = commitment
        self.nonce = nonce
        self.wrappedRootKey = wrappedRootKey
    }

    /// Wraps a root key under a secret of 32 bytes.
    package static func wrap(
        _ rootKey: borrowing RootKey,
        under secret: borrowing SecretBytes,
        number: UInt16,
        kind: Kind,
        cost: PassphraseCost = .none,
        salt: [UInt8] = [UInt8](repeating: 0, count: 16),
        vaultID: VaultID
    ) -> KeySlot {
        wrap(
            rootKey,
            under: secret,
            number: number,
            kind: kind,
            cost: cost,
            salt: salt,
            vaultID: vaultID,
            nonce: Randomness.bytes(count: KeyLength.nonce)
        )
    }

    static func wrap(
        _ rootKey: borrowing RootKey,
        under secret: borrowing SecretBytes,
        number: UInt16,
        kind: Kind,
        cost: PassphraseCost,
        salt: [UInt8],
        vaultID: VaultID,
        nonce: [UInt8]
    ) -> KeySlot {
        precondition(secret.count == KeyLength.key, "a slot's secret has 32 bytes")
        let context = context(
            number: number,
            kind: kind,
            cost: cost,
            salt: salt,
            vaultID: vaultID
        )
        var wrapped = [UInt8](repeating: 0, count: KeyLength.key + KeyLength.authenticator)
        rootKey.bytes.withBytes { root in
            withSlotKey(secret, context) { key in
                _ = crypto_secretbox_easy(&wrapped, root, UInt64(KeyLength.key), nonce, key)
            }
        }
        return KeySlot(
            number: number,
            kind: kind,
            cost: cost,
            salt: salt,
            commitment: commitment(secret, context),
            nonce: nonce,
            wrappedRootKey: wrapped
        )
    }

    /// The root key, for the right secret.
    package func open(
        with secret: borrowing SecretBytes,
        vaultID: VaultID
    ) throws(KeySlotError) -> RootKey {
        guard secret.count == KeyLength.key else { throw .wrongSecret }
        let context = Self.context(
            number: number,
            kind: kind,
            cost: cost,
            salt: salt,
            vaultID: vaultID
        )
        guard constantTimeEqual(Self.commitment(secret, context), commitment) else {
            throw .wrongSecret
        }
        guard
            nonce.count == KeyLength.nonce,
            wrappedRootKey.count == KeyLength.key + KeyLength.authenticator
        else { throw .damaged }
        return try Self.withSlotKey(secret, context) { key throws(KeySlotError) in
            RootKey(
                try SecretBytes(count: KeyLength.key) { root throws(KeySlotError) in
                    let failed = crypto_secretbox_open_easy(
                        root,
                        wrappedRootKey,
                        UInt64(wrappedRootKey.count),
                        nonce,
                        key
                    )
                    guard failed == 0 else { throw .damaged }
                }
            )
        }
    }

    static func context(
        number: UInt16,
        kind: Kind,
        cost: PassphraseCost,
        salt: [UInt8],
        vaultID: VaultID
    ) -> [UInt8] {
        var bytes = Array("VLT1SLOT".utf8)
        bytes.reserveCapacity(56)
        bytes.append(RecordContext.format)
        bytes.append(kind.rawValue)
        bytes.append(bigEndian: number)
        bytes.append(bigEndian: cost.passes)
        bytes.append(bigEndian: cost.memory)
        bytes.append(contentsOf: vaultID.bytes)
        bytes.append(contentsOf: salt)
        return bytes
    }

    private static func commitment(_ secret: borrowing SecretBytes, _ context: [UInt8]) -> [UInt8] {
        secret.withBytes { KeyDerivation.hash((Array("VLT1CMT\0".utf8) + context).span, key: $0) }
    }

    private static func withSlotKey<Result: ~Copyable, Failure: Error>(
        _ secret: borrowing SecretBytes,
        _ context: [UInt8],
        _ body: (UnsafePointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withTransientKey { slotKey throws(Failure) in
            secret.withBytes { secret in
                KeyDerivation.hash(
                    (Array("VLT1KEK\0".utf8) + context).span,
                    key: secret,
                    into: slotKey
                )
            }
            return try body(slotKey)
        }
    }
}
