internal import CSodium

/// The key that a slot wraps, from which everything of the vault that is not a record derives.
package struct RootKey: ~Copyable, Sendable {
    let bytes: SecretBytes

    init(_ bytes: consuming SecretBytes) {
        self.bytes = bytes
    }

    /// A fresh one, for a new vault.
    package static func random() -> RootKey {
        RootKey(.random(count: KeyLength.key))
    }

    /// The value stored beside the slots that commits to this key.
    package func check(for vaultID: VaultID) -> [UInt8] {
        withSubkey(.check) { key in
            KeyDerivation.hash((Array("VLT1CHK\0".utf8) + vaultID.bytes).span, key: key)
        }
    }

    /// Whether the stored commitment is this key's.
    package func matches(check: [UInt8], for vaultID: VaultID) -> Bool {
        constantTimeEqual(self.check(for: vaultID), check)
    }

    /// The subkeys, each for one purpose.
    enum Purpose: UInt64 {
        case keyring = 1
        case check = 2
        case spentToken = 3
        case selection = 4
        case activity = 5

        var label: StaticString {
            switch self {
            case .keyring: "vltring1"
            case .check: "vltchk01"
            case .spentToken: "vltspt01"
            case .selection: "vltsel01"
            case .activity: "vltlog01"
            }
        }
    }

    func derive(_ purpose: Purpose, into output: UnsafeMutablePointer<UInt8>) {
        bytes.withBytes { root in
            KeyDerivation.subkey(purpose.rawValue, purpose.label, of: root, into: output)
        }
    }

    private func withSubkey<Result>(
        _ purpose: Purpose,
        _ body: (UnsafePointer<UInt8>) -> Result
    ) -> Result {
        withTransientKey { key in
            derive(purpose, into: key)
            return body(key)
        }
    }
}
