internal import CSodium
internal import Testing

@testable import VaultCrypto

/// The root key, vault and accounts that the vectors use.
enum Fixture {
    static let rootBytes = [UInt8](repeating: 0xa5, count: 32)
    static let vault = VaultID(unchecked: Array(0..<16))
    static let otherVault = VaultID(unchecked: [UInt8](repeating: 0, count: 16))
    static let account = AccountID(unchecked: Array(0x20..<0x30))
    static let otherAccount = AccountID(unchecked: Array(0x40..<0x50))

    static func rootKey(_ bytes: [UInt8] = rootBytes) -> RootKey {
        RootKey(SecretBytes(copying: bytes.span))
    }

    /// A keyring whose only data key, or keys, are given by epoch.
    static func keyring(
        _ dataKeys: [(epoch: UInt32, key: [UInt8])],
        active: UInt32,
        root: [UInt8] = rootBytes,
        vault: VaultID = vault
    ) throws -> Keyring {
        let plaintext = KeyringPlaintext(
            isRotating: false,
            activeEpoch: active,
            entries: dataKeys.map { .init(epoch: $0.epoch, dataKey: Secret(bytes: $0.key)) }
        )
        let rootKey = rootKey(root)
        let sealed = Keyring.seal(plaintext, version: 1, rootKey: rootKey, vaultID: vault)
        return try Keyring.open(
            record: sealed.nonce + sealed.box,
            version: 1,
            rootKey: rootKey,
            vaultID: vault
        )
    }
}

extension RootKey {
    /// The key itself, to compare.
    var exposed: [UInt8] {
        bytes.exposed
    }
}

extension SecretBytes {
    /// The bytes, to compare.
    var exposed: [UInt8] {
        withSpan { span in span.indices.map { span[$0] } }
    }
}

extension Secret {
    /// The bytes, to compare.
    var exposed: [UInt8] {
        withBytes { span in span.indices.map { span[$0] } }
    }
}

/// libsodium called directly, as the program that made the vectors does.
enum Reference {
    static func blake2b256(_ message: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: 32)
        _ = crypto_generichash(&output, 32, message, UInt64(message.count), nil, 0)
        return output
    }

    static func openBox(_ box: [UInt8], nonce: [UInt8], key: [UInt8]) -> [UInt8]? {
        guard box.count >= 16 else { return nil }
        var output = [UInt8](repeating: 0, count: box.count - 16)
        let failed = crypto_secretbox_open_easy(&output, box, UInt64(box.count), nonce, key)
        return failed == 0 ? output : nil
    }
}

extension RecordContext {
    /// Its bytes as the vectors have them.
    var array: [UInt8] {
        let bytes = bytes
        return bytes.indices.map { bytes[$0] }
    }
}
