internal import FoundationEssentials
internal import VaultStore

/// The vault's own backups that an old secret or key still opens: named, or erased.
struct OldBackups: Sendable {
    private let isPurging: Bool

    init(_ arguments: inout ArgumentReader) throws {
        isPurging = try arguments.flag("--purge-backups")
    }

    /// After a slot was removed or got another secret.
    func report(openedBy slot: KeySlotDescription, in context: CommandContext) throws {
        let folder = BackupFolder(context.location)
        try report(folder.holding(slotCommitment: slot.commitment), folder, context.terminal)
    }

    /// After the root key was replaced.
    func report(underRootCheck check: [UInt8], in context: CommandContext) throws {
        let folder = BackupFolder(context.location)
        try report(folder.holding(rootCheck: check), folder, context.terminal)
    }

    private func report(
        _ backups: [String],
        _ folder: BackupFolder,
        _ terminal: Terminal
    ) throws {
        guard !backups.isEmpty else { return }
        if isPurging {
            try folder.purge(backups)
            for backup in backups { terminal.words("erased the backup \(backup)") }
        } else {
            for backup in backups { terminal.warning("the old key still opens \(backup)") }
            terminal.hint("--purge-backups erases such backups; copies elsewhere are yours to find")
        }
    }
}
