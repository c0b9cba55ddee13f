internal import VaultKit

/// The words for what goes wrong with key slots and keys.
extension VaultErrorWords {
    static func keySlot(_ path: String, _ facts: Facts) -> Words? {
        let found = facts[.found] ?? "?"
        return switch facts[.reason] {
        case "no_such_key_slot":
            ("there is no key slot \(found)", "vault key list shows the slots")
        case "last_key_slot":
            (
                "the last key slot stays: without it nothing would open the vault",
                "vault key add makes another first, vault key change replaces its secret"
            )
        case "key_slot_kind":
            (
                "key slot \(found) is a \(facts[.wanted]?.replacing("_", with: " ") ?? "?")",
                "another kind is another slot: vault key add, then vault key remove \(found)"
            )
        case "key_slots_left":
            (
                "new keys need the secret of key slot \(found) too; nothing was changed",
                "--slot-fd NUMBER:N gives one, --drop NUMBER does without the slot"
            )
        case "key_file_in_use":
            ("\(path) is the key file of another slot", "name another place")
        default: facts[.field] == "passphrase" ? (passphrase(facts), nil) : nil
        }
    }

    private static func passphrase(_ facts: Facts) -> String {
        switch facts[.reason] {
        case "empty": "the passphrase is empty"
        case "too_long": "the passphrase has more than 1024 bytes"
        case "has_nul": "the passphrase has a null byte in it"
        case "differ": "the two passphrases differ"
        default: "the passphrase is not valid"
        }
    }

    static func rotationUnfinished(_ facts: Facts) -> Words {
        (
            "these records do not open, and keep their old key: \(facts[.found] ?? "?")",
            "everything else has the new one; mend or remove them, then vault key rotate again"
        )
    }
}
