internal import FoundationEssentials
internal import VaultStore

/// The vault's own backups that still hold what was taken out of the vault: named, or erased.
struct OldBackups: Sendable {
    private let isPurging: Bool

    init(_ arguments: inout ArgumentReader) throws {
        isPurging = try arguments.flag("--purge-backups")
    }

    /// After a slot was removed or got another secret.
    func report(openedBy slot: KeySlotDescription, in context: CommandContext) throws {
        let folder = BackupFolder(context.location)
        let backups = try folder.holding(slotCommitment: slot.commitment)
        try report(backups, folder, context.terminal) { "the old key still opens \($0)" }
    }

    /// After the root key was replaced.
    func report(underRootCheck check: [UInt8], in context: CommandContext) throws {
        let folder = BackupFolder(context.location)
        let backups = try folder.holding(rootCheck: check)
        try report(backups, folder, context.terminal) { "the old key still opens \($0)" }
    }

    /// After an account was removed.
    func report(
        holding id: [UInt8],
        of account: AccountName,
        in context: CommandContext
    ) throws {
        let folder = BackupFolder(context.location)
        let backups = try folder.holding(account: id)
        try report(backups, folder, context.terminal) { "account \(account) is still in \($0)" }
    }

    private func report(
        _ backups: BackupFolder.Found,
        _ folder: BackupFolder,
        _ terminal: Terminal,
        _ words: (String) -> String
    ) throws {
        for backup in backups.unreadable {
            terminal.warning("the backup \(backup) cannot be read, so it was left as it is")
        }
        guard !backups.holding.isEmpty else { return }
        if isPurging {
            try folder.purge(backups.holding)
            for backup in backups.holding { terminal.words("erased the backup \(backup)") }
        } else {
            for backup in backups.holding { terminal.warning(words(backup)) }
            terminal.hint("--purge-backups erases such backups; copies elsewhere are yours to find")
        }
    }
}
