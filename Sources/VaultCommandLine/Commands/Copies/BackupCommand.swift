internal import Platform
internal import VaultKit
internal import VaultStore

struct BackupCommand: Command {
    static let name = "backup"
    static let summary = "Copy the vault into a file"
    static let help = """
        vault backup FILE [--anyway]

        Copies the whole vault into FILE, which must not exist yet: of one moment, while
        others go on, for its owner alone. It gets its name once every record in it was
        opened and it is on disk. vault restore FILE brings it back.

          --anyway  Copy also a vault that is damaged

        A backup is sealed like the vault itself, under the keys of its day: a key slot
        that is removed later still opens it. It is not renewed, so the refresh tokens
        in it may be spent by the time it is needed.

        The agent keeps backups of its own, one a day for a week, in the folder
        "backups" of the vault's directory.

        """

    private let path: String
    private let isAnyway: Bool

    init(_ arguments: inout ArgumentReader) throws {
        isAnyway = try arguments.flag("--anyway")
        guard let path = try arguments.optionalWord() else { throw UsageError.missing("FILE") }
        self.path = path
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        let file = try VaultFile(context.location)
        // Without keys the copy is as good, and only not looked into.
        _ = try? file.unlock(with: .keyFile)
        let report = try file.backup(to: path, mayBeDamaged: isAnyway)
        // The copy is there, whatever becomes of the note.
        try? file.note(.backedUp, at: context.clock.now().wall)
        let terminal = context.terminal
        terminal.words(
            "copied the vault with \(Plural.text(report.accounts, "account")) to \(path)"
        )
        for finding in report.findings { terminal.warning(finding.words) }
        if report.findings.contains(where: \.isOfTagHints) {
            terminal.hint(VerificationReport.tagHintMending)
        }
        if !report.wasUnlocked {
            terminal.warning("no record was opened: there is no key at hand")
            terminal.hint("vault verify \(path) opens them all")
        }
        terminal.hint("today's key slots and tokens stay in it, whatever is removed from the vault")
        terminal.hint("its refresh tokens may be spent by the time it is restored")
    }
}
