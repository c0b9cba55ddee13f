package import VaultCrypto

extension VaultFile {
    /// Whether a slot opens with this, without keeping the keys.
    package func opens(with unlock: Unlock) -> Bool {
        (try? KeySlots.open(unlock, in: connection, vaultID: vaultID).slot) != nil
    }

    /// Whether there is a slot whose secret a person can type.
    package var hasTypedSecret: Bool {
        get throws { try KeySlots.all(in: connection).contains { $0.slot.kind != .keyFile } }
    }

    /// What a person typed: a recovery key where it reads as one and the vault has such a slot, else
    /// a passphrase.
    ///
    /// A vault that only a recovery key opens gets it in any case, so that a mistyped one is called
    /// that.
    package func unlock(typed text: Secret) throws -> Unlock {
        let kinds = try KeySlots.all(in: connection).map(\.slot.kind)
        guard kinds.contains(.recoveryKey) else { return .passphrase(text) }
        let reads = (try? RecoveryKey.secret(from: text)) != nil
        return reads || !kinds.contains(.passphrase) ? .recoveryKey(text) : .passphrase(text)
    }
}
