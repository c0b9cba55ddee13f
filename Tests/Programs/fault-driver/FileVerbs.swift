import FoundationEssentials
import Platform
import VaultStore

/// The whole vault as a file, and back.
extension Driver {
    /// Backups under the next numbers that are free.
    func backUp(_ file: VaultFile) throws {
        var number = 0
        for _ in 0..<order.count {
            while FileSystem.exists(order.backup(number)) { number += 1 }
            Announcement.step("backup")
            try file.backup(to: order.backup(number))
            Announcement.saved("backup", generation: UInt64(number), serial: 0)
        }
    }

    /// Opening an old vault migrates it.
    func migrate() throws {
        for _ in 0..<order.count {
            Announcement.step("migrate")
            let file = try VaultFile(order.location)
            try file.unlock(with: .keyFileAt(path: order.keyFile))
            let count = try file.rereading { try $0.accountCount() }
            Announcement.saved("migrate", generation: 0, serial: count)
        }
        Announcement.step("end")
    }

    /// The first backup takes the place of what is there.
    func restore() throws {
        for _ in 0..<order.count {
            Announcement.step("copy")
            let copy = try VaultCopy(order.copy, beside: order.location)
            try copy.file.unlock(with: .keyFileAt(path: order.keyFile))
            Announcement.step("restore")
            let report = try copy.restore(into: order.location, now: Date())
            Announcement.saved("restore", generation: 0, serial: report.accounts.count)
        }
        Announcement.step("end")
    }
}
