internal import VaultKit

/// The words for a vault that does not open.
extension VaultErrorWords {
    static func locked(_ facts: Facts) -> Words {
        let path = facts[.path] ?? "?"
        return switch facts[.reason] {
        case "key_file_missing":
            (
                "the vault is locked: its key file \(path) is missing",
                "put the key file back; with a passphrase or recovery key: vault unlock"
            )
        case "key_file_wrong":
            (
                "the vault is locked: \(path) is the key file of another vault, or an old one",
                "vault key list shows what opens it"
            )
        case "key_file_malformed":
            ("the vault is locked: \(path) is no key file", "a key file has 32 bytes")
        case "no_key_file_slot":
            ("the vault is locked: no key file opens it", "vault unlock")
        case "time": ("the vault is locked: its time was up", "vault unlock")
        case "keys_replaced":
            ("the vault is locked: another process gave it new keys", "vault unlock")
        case let reason:
            Self.wrongSecret(reason) ?? ("the vault is locked", "vault unlock")
        }
    }

    /// What is wrong with a secret that was given.
    private static func wrongSecret(_ reason: String?) -> Words? {
        switch reason {
        case "passphrase_wrong":
            ("the passphrase is wrong", "try again, or give the recovery key in its place")
        case "export_passphrase_wrong":
            ("this is not the passphrase of the export", "it is the export's own, not the vault's")
        case "no_passphrase_slot":
            ("no passphrase opens this vault", "vault key list shows what opens it")
        case "recovery_key_wrong":
            (
                "this is the recovery key of another vault, or an old one",
                "vault key list shows what opens it"
            )
        case "recovery_key_malformed":
            (
                "this is no recovery key: it is mistyped, or not all of it",
                "it has 54 letters and digits, in groups of four"
            )
        case "no_recovery_slot":
            ("no recovery key opens this vault", "vault key list shows what opens it")
        case "key_wrong":
            (
                "these bytes are the key file of another vault, or an old one",
                "vault key list shows what opens it"
            )
        case "out_of_memory":
            (
                "there is not enough memory to work with the passphrase",
                "end other programs, or raise the limit of this one (ulimit -v)"
            )
        default: nil
        }
    }

    /// Who is at work on the vault; nil for anything else that is busy.
    static func inUse(_ facts: Facts) -> Words? {
        switch facts[.reason] {
        case "vault_in_use":
            ("the vault is in use: a refresh or other work on it goes on", "try again")
        case "sign_out": ("the account is being signed out of", "try again")
        case "signed_in": ("the account was signed in to meanwhile, and is kept", "try again")
        case "unlocking": ("another unlock is under way", "try again")
        case "locking":
            ("the agent is locking the vault: what is in flight is stored first", "try again")
        default: nil
        }
    }
}
