internal import VaultCrypto

/// The root key and the keyring it opened, shared by the connections of one process.
final class VaultKeys: Sendable {
    private let root: RootHolder
    let keyring: Keyring
    /// The keyring as it is stored.
    let record: [UInt8]
    /// What opened the slot, without the secret unless that is in a file.
    let unlock: Unlock

    convenience init(
        _ opened: consuming KeySlots.Opened,
        header: VaultHeader,
        unlock: Unlock
    ) throws {
        let root = RootHolder(opened.rootKey)
        try self.init(root: root, header: header, unlock: unlock.withoutSecret)
    }

    private init(root: RootHolder, header: VaultHeader, unlock: Unlock) throws {
        self.root = root
        self.unlock = unlock
        record = header.keyringRecord
        do {
            keyring = try Keyring.open(
                record: header.keyringRecord,
                version: header.keyringVersion,
                rootKey: root.key,
                vaultID: header.vaultID
            )
        } catch {
            throw StoreError.tampered(.keyring)
        }
    }

    /// Lends the root key for the duration of the closure.
    func withRootKey<Result, Failure: Error>(
        _ body: (borrowing RootKey) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(root.key)
    }

    /// Whether a vault still has the root key that is here.
    func areOf(_ header: VaultHeader) -> Bool {
        root.key.matches(check: header.rootCheck, for: header.vaultID)
    }

    func renewed(header: VaultHeader) throws -> VaultKeys {
        try VaultKeys(root: root, header: header, unlock: unlock)
    }

    private final class RootHolder: Sendable {
        let key: RootKey

        init(_ key: consuming RootKey) {
            self.key = key
        }
    }
}

extension Unlock {
    /// The same way without the secret: what stays in memory is the root key alone.
    fileprivate var withoutSecret: Unlock {
        switch self {
        case .keyFile, .keyFileAt: self
        case .key: .key(Secret(bytes: []))
        case .passphrase: .passphrase(Secret(bytes: []))
        case .recoveryKey: .recoveryKey(Secret(bytes: []))
        }
    }
}
