internal import Platform
internal import VaultCrypto
internal import VaultKit
internal import VaultStore

struct ExportCommand: Command {
    static let name = "export"
    static let summary = "Write accounts to a file for another vault"
    static let help = """
        vault export FILE [--account NAME]… [--move]
        vault export --plaintext [--account NAME]…

        Writes accounts with their tokens to a new file that only a passphrase of its
        own opens: vault import takes them in elsewhere. A secret of this vault is
        wanted in any case.

          --account NAME            Only this account; may be given more than once
          --move                    The accounts are used elsewhere from now on: they
                                    are paused here, before the file is there. Two
                                    machines that use one grant log each other out.
          --export-passphrase-fd N  Read the file's passphrase from file descriptor N
          --plaintext               Write JSON with readable tokens to standard output,
                                    which must not be a terminal

        \(UnlockInput.help)
        A move that was cut short leaves the accounts paused: export them again, or
        import the file here to take it back.

        """

    private let path: String?
    private let accounts: [AccountName]
    private let isMove: Bool
    private let passphrase: ExportPassphrase
    private let unlock: UnlockInput

    init(_ arguments: inout ArgumentReader) throws {
        let isPlaintext = try arguments.flag("--plaintext")
        isMove = try arguments.flag("--move")
        passphrase = try ExportPassphrase(&arguments, option: "--export-passphrase-fd")
        unlock = try UnlockInput(&arguments)
        accounts = try arguments.options("--account").map { word throws(UsageError) in
            guard let name = AccountName(word) else {
                throw .malformed("--account", value: word, wanted: "the name of an account")
            }
            return name
        }
        path = isPlaintext ? nil : try arguments.value(named: "FILE")
        try arguments.finish()
        // What goes into a pipe may never arrive, and then nobody would have the accounts.
        guard !isPlaintext || !isMove else { throw UsageError.strayWord("--move") }
    }

    func run(in context: CommandContext) throws {
        let file = try VaultFile(context.location)
        guard let path else { return try writePlaintext(of: file, context) }
        guard !FileSystem.exists(path) else { throw StoreError.fileExists(path: path) }
        try unlock.open(file, in: context)
        try check(file)
        let passphrase = try passphrase.readNew(terminal: context.terminal)
        let export = try file.export(
            accounts.isEmpty ? nil : accounts,
            moving: isMove,
            to: path,
            passphrase: passphrase,
            at: context.clock.now()
        )
        report(export, path, context.terminal)
    }

    private func writePlaintext(of file: VaultFile, _ context: CommandContext) throws {
        guard !Descriptor.isTerminal(1) else { throw Self.invalid("terminal") }
        try unlock.open(file, in: context)
        try check(file)
        let export = try file.export(
            accounts.isEmpty ? nil : accounts,
            at: context.clock.now()
        )
        try export.encoded.reveal { try context.terminal.data($0 + "\n") }
        context.terminal.warning("whoever reads this has the accounts: nothing protects it")
        warnOfTwoOwners(export, context.terminal)
    }

    /// Says what is wrong before anybody thinks of a passphrase.
    private func check(_ file: VaultFile) throws {
        for name in accounts { _ = try file.account(named: name) }
        guard try file.accountCount() > 0 else { throw Self.invalid("no_accounts") }
    }

    private static func invalid(_ reason: String) -> VaultError {
        VaultError(.invalidInput, facts: [.field: "export", .reason: reason])
    }

    private func report(_ export: AccountExport, _ path: String, _ terminal: Terminal) {
        let count = export.accounts.count
        terminal.words("exported \(count) account\(count == 1 ? "" : "s") to \(path)")
        guard export.isMove else { return warnOfTwoOwners(export, terminal) }
        terminal.words(count == 1 ? "it is paused here" : "they are paused here")
        terminal.hint("vault import takes them in elsewhere, or takes the move back here")
    }

    private func warnOfTwoOwners(_ export: AccountExport, _ terminal: Terminal) {
        guard export.accounts.contains(where: { $0.tokens.refreshToken != nil }) else { return }
        terminal.warning(
            "used here and elsewhere, a refresh token that its server rotates logs one of the "
                + "two out"
        )
        terminal.hint("vault export --move pauses the accounts here")
    }
}
