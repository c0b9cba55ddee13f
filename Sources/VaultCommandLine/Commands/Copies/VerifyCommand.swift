internal import Platform
internal import VaultKit
internal import VaultStore

struct VerifyCommand: Command {
    static let name = "verify"
    static let summary = "Look at every part of the vault, or of a copy of one"
    static let help = """
        vault verify [FILE] [--json]

        Opens every record of the vault, or of the copy in FILE, and compares it with
        what stands beside it. Everything that is not as it was written is named, and
        the exit code is 8. Nothing is changed: of FILE a private copy is looked at.
        Where there is no key at hand only the form of the records is checked.

          --json               {"schemaVersion":1,"file","sound","unlocked","accounts",
                               "records","findings":[{"part","account","number",
                               "problem","detail"}]}

        \(UnlockInput.help)
        """

    private let path: String?
    private let isJSON: Bool
    private let unlock: UnlockInput

    init(_ arguments: inout ArgumentReader) throws {
        isJSON = try arguments.flag("--json")
        unlock = try UnlockInput(&arguments)
        path = try arguments.optionalWord()
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        guard let path else { return try reportOnVault(context) }
        do {
            let copy = try VaultCopy(path, beside: context.location)
            try report(on: copy.file, copy.path, context)
        } catch StoreError.sameFile {
            try reportOnVault(context)
        }
    }

    private func reportOnVault(_ context: CommandContext) throws {
        let file = try VaultFile(context.location)
        try report(on: file, context.location.database, context)
    }

    private func report(
        on file: VaultFile,
        _ path: String,
        _ context: CommandContext
    ) throws {
        try open(file, context)
        let report = try file.verify()
        if isJSON {
            try context.terminal.data(json: VerificationDocument(report, of: path))
        } else {
            show(report, of: path, context.terminal)
        }
        guard report.isSound else { throw StoreError.unsound(path: path, report) }
    }

    /// What nobody named a secret for is looked at as far as it goes without.
    private func open(_ file: VaultFile, _ context: CommandContext) throws {
        do {
            try unlock.open(file, in: context)
        } catch StoreError.locked(let reason) where !unlock.isNamed && reason.isOfKeyFile {
            return
        }
    }

    private func show(
        _ report: VerificationReport,
        of path: String,
        _ terminal: Terminal
    ) {
        for finding in report.findings { terminal.words(finding.words) }
        let accounts = Plural.text(report.accounts, "account")
        if report.isSound {
            terminal.words(
                report.wasUnlocked
                    ? "\(path) is sound: \(accounts), \(Plural.text(report.records, "record"))"
                        + " opened"
                    : "\(path) is sound as far as can be told without a key: \(accounts)"
            )
        }
        if !report.wasUnlocked {
            terminal.warning("no record was opened: there is no key at hand")
        }
    }
}

extension StoreError.LockReason {
    /// Whether it is about a key file: nobody typed anything wrong.
    var isOfKeyFile: Bool {
        switch self {
        case .keyFileMissing, .keyFileWrong, .keyFileMalformed, .noKeyFileSlot: true
        default: false
        }
    }
}

/// Numbers of things.
enum Plural {
    static func text(_ count: Int, _ thing: String) -> String {
        "\(count) \(thing)\(count == 1 ? "" : "s")"
    }
}
