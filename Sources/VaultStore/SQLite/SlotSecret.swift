internal import VaultCrypto

/// The secret of a slot that is to be written, with everything that goes into its row.
///
/// Made before the transaction: the work of a passphrase and the writing of a key file are done
/// while nobody waits.
final class SlotSecret: Sendable {
    let kind: KeySlot.Kind
    let keyFile: String?
    /// The recovery key in words, if it is a new one.
    let recoveryKey: Secret?
    private let secret: SecretBytes
    private let cost: PassphraseCost
    private let salt: [UInt8]
    private let isNewKeyFile: Bool

    private static let noSalt = [UInt8](repeating: 0, count: 16)

    private init(
        _ kind: KeySlot.Kind,
        _ secret: consuming SecretBytes,
        cost: PassphraseCost = .none,
        salt: [UInt8] = noSalt,
        keyFile: String? = nil,
        isNewKeyFile: Bool = false,
        recoveryKey: Secret? = nil
    ) {
        self.kind = kind
        self.secret = secret
        self.cost = cost
        self.salt = salt
        self.keyFile = keyFile
        self.isNewKeyFile = isNewKeyFile
        self.recoveryKey = recoveryKey
    }

    /// The secret of a new slot of a vault that has these already.
    static func make(
        _ new: NewKeySlot,
        besides slots: [KeySlots.Row],
        vaultID: VaultID,
        _ location: VaultLocation
    ) throws -> SlotSecret {
        switch new {
        case .passphrase(let passphrase, let cost): return try derive(passphrase, cost)
        case .keyFile(let given):
            let path = try KeyFilePlace.path(given, for: vaultID, besides: slots, location)
            let secret = try KeyFile.create(path)
            return SlotSecret(.keyFile, secret, keyFile: path, isNewKeyFile: true)
        case .shownRecoveryKey(let text):
            return SlotSecret(.recoveryKey, try RecoveryKey.secret(from: text), recoveryKey: text)
        }
    }

    /// The secret that opens a slot, for wrapping another root key in its place: a passphrase gets
    /// another salt.
    static func remake(_ unlock: Unlock, of row: KeySlots.Row) throws -> SlotSecret {
        if case .passphrase(let passphrase) = unlock {
            return try derive(passphrase, row.slot.cost)
        }
        let secret = try KeySlots.secret(unlock, for: row)
        return SlotSecret(row.slot.kind, secret, keyFile: row.keyFile)
    }

    private static func derive(_ passphrase: Secret, _ cost: PassphraseCost) throws -> SlotSecret {
        try Passphrase.check(passphrase)
        let salt = Randomness.bytes(count: 16)
        do {
            let secret = try cost.secret(from: SecretBytes(copying: passphrase), salt: salt)
            return SlotSecret(.passphrase, secret, cost: cost, salt: salt)
        } catch KeySlotError.outOfMemory {
            throw StoreError.locked(.outOfMemory)
        }
    }

    /// The root key wrapped under this secret.
    func wrap(_ rootKey: borrowing RootKey, number: UInt16, vaultID: VaultID) -> KeySlot {
        KeySlot.wrap(
            rootKey,
            under: secret,
            number: number,
            kind: kind,
            cost: cost,
            salt: salt,
            vaultID: vaultID
        )
    }

    /// What a slot gives for this secret; for a new key file, what its bytes on the disk give.
    func open(_ slot: KeySlot, vaultID: VaultID) throws -> RootKey {
        if isNewKeyFile, let keyFile {
            return try slot.open(with: KeyFile.read(keyFile), vaultID: vaultID)
        }
        return try slot.open(with: secret, vaultID: vaultID)
    }
}
