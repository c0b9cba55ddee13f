public import VaultCrypto

/// What opens a vault: the secret of one of its key slots.
public enum Unlock: Sendable, Hashable {
    /// The key file that the vault remembers, or `vault.key` in the directory that
    /// `CREDENTIALS_DIRECTORY` names (systemd.exec(5), CREDENTIALS).
    case keyFile
    /// A key file at a path of the caller's.
    case keyFileAt(path: String)
    /// The 32 bytes of a key file.
    case key(Secret)
    /// A passphrase, as its bytes were typed.
    case passphrase(Secret)
    /// A recovery key as it was shown, in groups.
    case recoveryKey(Secret)
}
