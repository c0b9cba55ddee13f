import FoundationEssentials
import VaultStore

/// New keys for the whole vault.
extension Driver {
    private var unlock: Unlock { .keyFileAt(path: order.keyFile) }

    /// New data keys; the number of the key stands for the generation.
    func rotate(_ file: VaultFile) throws {
        for _ in 0..<order.count {
            Announcement.step("begin")
            var reports = 0
            let rotation = try file.rotateKeys(authorizedBy: unlock, now: Date()) { _ in
                reports += 1
                // One report for the beginning, then one for each batch: accounts, no more accounts,
                // no pairs kept aside.
                Announcement.step(reports < 4 ? "reseal" : "drop")
            }
            Announcement.saved("rotate", generation: UInt64(rotation.epoch), serial: rotation.moved)
        }
    }

    /// New root keys, one after the other.
    func rekey(_ file: VaultFile) throws {
        for _ in 0..<order.count {
            Announcement.step("rekey")
            let rekeying = try file.rekey(
                authorizedBy: unlock,
                slots: [:],
                dropping: [],
                now: Date()
            )
            Announcement.saved("rekey", generation: 0, serial: rekeying.moved)
        }
    }
}
