package import FoundationEssentials
package import VaultCrypto

/// A key slot to be made: another way into a vault.
package enum NewKeySlot: Sendable {
    /// Opened by a passphrase, as its bytes were given.
    case passphrase(Secret, PassphraseCost = .standard)
    /// Opened by a key file, which is made unless it is there; nil means the default place.
    case keyFile(path: String?)
    /// Opened by a recovery key of `makeRecoveryKey()`, which somebody has seen already.
    case shownRecoveryKey(Secret)

    /// A recovery key that is made now, and seen only after it is in force: for whoever has another
    /// way in if it is never seen.
    package static var recoveryKey: NewKeySlot { .shownRecoveryKey(makeRecoveryKey()) }

    /// A recovery key for a person to write down, which opens nothing until a slot is made of it.
    ///
    /// It is shown first: a key that came into force unseen might be the only one.
    package static func makeRecoveryKey() -> Secret {
        RecoveryKey.text(of: SecretBytes.random(count: KeyLength.key))
    }

    package var kind: KeySlot.Kind {
        switch self {
        case .passphrase: .passphrase
        case .keyFile: .keyFile
        case .shownRecoveryKey: .recoveryKey
        }
    }
}

/// A key slot that was made, and what its owner has to be told.
package struct AddedKeySlot: Sendable, Hashable {
    package let number: UInt16
    /// Where its key file is.
    package let keyFile: String?
    /// Its recovery key, which nothing shows a second time.
    package let recoveryKey: Secret?
    /// What commits to its secret.
    package let commitment: [UInt8]
}

/// What can be said of a key slot without a key.
package struct KeySlotDescription: Sendable, Equatable {
    package let number: UInt16
    package let kind: KeySlot.Kind
    /// Where its key file was put.
    package let keyFile: String?
    /// What deriving its key costs.
    package let cost: PassphraseCost
    /// When it was made or last changed; nil where nobody wrote it down.
    package let changed: Date?
    /// What commits to its secret: the same in every copy that the secret opens.
    package let commitment: [UInt8]
}
