internal import Platform
internal import VaultAgentClient
internal import VaultCrypto
internal import VaultKit
internal import VaultStore

struct ImportCommand: Command {
    static let name = "import"
    static let summary = "Take in accounts from a file of vault export"
    static let help = """
        vault import FILE [--dry-run] [--replace] [--json]

        Takes in the accounts of an export, all of them or none. FILE may be - for
        standard input, and may be what vault export --plaintext wrote.

        An account that is here already with the same pair or a newer one is skipped:
        nothing is ever rolled back. One that was moved away comes back by the file of
        a move or a later pair, and by another copy with --replace alone. Nothing is
        imported if a refresh token was spent here or belongs to another account, if
        a name is taken, or if the file has a later pair of an account in use here.

          --dry-run                 Say what would be done, and do nothing
          --replace                 A later pair takes the place of one in use here
          --import-passphrase-fd N  Read the file's passphrase from file descriptor N
          --json                    {"schemaVersion":1,"dryRun","accounts":[{"name",
                                    "outcome","reason"}]}

        \(UnlockInput.help)
        """

    private let path: String
    private let isDry: Bool
    private let isReplacing: Bool
    private let isJSON: Bool
    private let passphrase: ExportPassphrase
    private let unlock: UnlockInput

    init(_ arguments: inout ArgumentReader) throws {
        isDry = try arguments.flag("--dry-run")
        isReplacing = try arguments.flag("--replace")
        isJSON = try arguments.flag("--json")
        passphrase = try ExportPassphrase(&arguments, option: "--import-passphrase-fd")
        unlock = try UnlockInput(&arguments)
        path = try arguments.value(named: "FILE")
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        var text = path == "-" ? try Self.standardInput() : try ExportFile.read(path)
        defer { wipe(&text) }
        let file = try VaultFile(context.location)
        try unlock.open(file, in: context)
        let export = try accounts(in: text, context.terminal)
        let report = try importing(export, into: file, at: context.clock.now())
        guard !report.isRefused else { throw refusal(report, context.terminal) }
        if isJSON {
            try context.terminal.data(json: ImportDocument(report, isDry: isDry))
        } else {
            report.entries.forEach { context.terminal.words(ImportWords.line($0, isDry: isDry)) }
        }
        warn(export, report, of: file, context)
    }

    private func importing(
        _ export: AccountExport,
        into file: VaultFile,
        at now: Moment
    ) throws -> ImportReport {
        guard !isDry else { return try file.importReport(of: export, replacing: isReplacing) }
        return try file.importAccounts(of: export, replacing: isReplacing, at: now) {
            RefreshSchedule.due(importing: $0, at: $1)
        }
    }

    private static func standardInput() throws -> [UInt8] {
        do {
            return try Descriptor.readToEnd(0, limit: ExportEnvelope.sizeLimit)
        } catch let error where error == .tooLarge {
            throw StoreError.export(.tooLarge)
        } catch {
            throw StoreError.file(path: "standard input", error)
        }
    }

    /// The accounts of the file; a person at the terminal may mistype its passphrase.
    private func accounts(in text: [UInt8], _ terminal: Terminal) throws -> AccountExport {
        for _ in 1..<(passphrase.input.isTyped ? ExportPassphrase.tries : 1) {
            do {
                return try ExportFile.accounts(in: text) { try passphrase.read() }
            } catch StoreError.export(.wrongPassphrase) {
                terminal.words("this is not the passphrase of the export")
            }
        }
        return try ExportFile.accounts(in: text) { try passphrase.read() }
    }

    private func refusal(_ report: ImportReport, _ terminal: Terminal) -> VaultError {
        let refused = report.entries.filter { $0.isRefused }
        for entry in refused { terminal.words(ImportWords.line(entry, isDry: isDry)) }
        let found = "\(refused.count) of \(report.entries.count) accounts"
        return VaultError(.importRefused, facts: [.found: found])
    }

    private func warn(
        _ export: AccountExport,
        _ report: ImportReport,
        of file: VaultFile,
        _ context: CommandContext
    ) {
        let taken = report.entries.filter { $0.isTaken }
        guard !isDry, !taken.isEmpty else { return }
        let terminal = context.terminal
        if export.source == file.vaultID, taken.contains(where: { $0.outcome == .movedBack }) {
            terminal.warning("this takes the move back: do not import the file anywhere else")
        } else if !export.isMove {
            terminal.warning(
                "if these accounts are still used where they came from, a server that rotates "
                    + "refresh tokens logs one of the two out"
            )
        }
        if path != "-" { terminal.hint("remove \(path): it holds their tokens") }
        // Whoever renews tokens has to be there; one that runs looks at the file by itself.
        guard (try? context.agent.call("GET", "/v1/status")) == nil else { return }
        terminal.hint("vault agent start renews them")
    }
}

extension ImportReport.Entry {
    fileprivate var isRefused: Bool {
        if case .refused = outcome { true } else { false }
    }
}
