internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

struct RestoreCommand: Command {
    static let name = "restore"
    static let summary = "Bring back a backup"
    static let help = """
        vault restore FILE [--replace] [--json]

        Makes the backup in FILE the vault, once every record of it was opened with the
        key it was made under. What was here before is kept in the folder "backups" of
        the vault's directory. Programs that have the vault open go on with what is
        restored; refreshes in flight are waited for.

        A refresh token that may have been spent since the backup was made is not sent
        unasked: its account is in the state verify_before_use until vault refresh NAME
        tries it or vault login NAME signs in anew. Where no vault is here, or none that
        can be read, that is every account with a refresh token.

          --replace            Restore also over another vault than the backup's
          --json               {"schemaVersion":1,"keptAt","accounts":[{"name","state",
                               "unchanged"}],"missing":[]}

        \(UnlockInput.help)
        """

    private let path: String
    private let replacesOther: Bool
    private let isJSON: Bool
    private let unlock: UnlockInput

    init(_ arguments: inout ArgumentReader) throws {
        replacesOther = try arguments.flag("--replace")
        isJSON = try arguments.flag("--json")
        unlock = try UnlockInput(&arguments)
        guard let path = try arguments.optionalWord() else { throw UsageError.missing("FILE") }
        self.path = path
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        let terminal = context.terminal
        try VaultCopy.prepareDirectory(of: context.location)
        let copy = try VaultCopy(path, beside: context.location)
        try unlock.open(copy.file, in: context)
        var options = VaultCopy.Options()
        options.replacesOther = replacesOther
        let report: RestoreReport
        do {
            report = try copy.restore(
                into: context.location,
                options: options,
                now: context.clock.now().wall
            )
        } catch StoreError.unsound(let path, let found) {
            for finding in found.findings { terminal.words(finding.words) }
            throw StoreError.unsound(path: path, found)
        }
        if isJSON { try terminal.data(json: RestoreDocument(report)) }
        show(report, terminal)
    }

    private func show(_ report: RestoreReport, _ terminal: Terminal) {
        let count = Plural.text(report.accounts.count, "account")
        terminal.words("restored \(count) from \(path)")
        if let kept = report.keptAt { terminal.words("what was here before is in \(kept)") }
        for name in report.missing { terminal.warning("account \(name) is not in the backup") }
        let held = report.accounts.filter { $0.state == .verifyBeforeUse }
        for account in held {
            terminal.warning("account \(account.name): its refresh token may be spent by now")
        }
        if !held.isEmpty {
            terminal.hint("vault refresh NAME tries it, vault login NAME signs in anew")
        }
    }
}

/// What `vault restore --json` says.
struct RestoreDocument: Encodable {
    let schemaVersion = WireJSON.schemaVersion
    let keptAt: String?
    let accounts: [Account]
    let missing: [String]

    struct Account: Encodable {
        let name: String
        let state: String
        let unchanged: Bool
    }

    private enum CodingKeys: CodingKey {
        case schemaVersion, keptAt, accounts, missing
    }

    init(_ report: RestoreReport) {
        keptAt = report.keptAt
        accounts = report.accounts.map { account in
            Account(
                name: account.name.text,
                state: account.state.rawValue,
                unchanged: account.isUnchanged
            )
        }
        missing = report.missing
    }

    // What there is none of is null, not missing.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(schemaVersion, forKey: .schemaVersion)
        try container.encode(keptAt, forKey: .keptAt)
        try container.encode(accounts, forKey: .accounts)
        try container.encode(missing, forKey: .missing)
    }
}
