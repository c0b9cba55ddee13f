internal import VaultAgentClient
internal import VaultKit

struct DoctorCommand: Command {
    static let name = "doctor"
    static let summary = "Look for what is wrong, and say what mends it"
    static let help = """
        vault doctor [--online] [--json]

        Looks at the vault's files, keys, records, accounts, backups, agent, clock and
        programs, and names the command that mends what is wrong. It changes nothing,
        asks nobody and sends nothing; a locked vault is looked at as far as that goes.

          --online  Ask the authorization servers too whether the accounts' endpoints
                    are still those that they publish
          --json    {"schemaVersion":1,"findings":[{"check","level","text","hint"}]},
                    the level being ok, warning or problem

        Exit code: 0 without a problem, 10 if others can reach a file of the vault,
        8 if it is damaged, 1 for any other problem.

        """

    private let isJSON: Bool
    private let isOnline: Bool

    init(_ arguments: inout ArgumentReader) throws {
        isJSON = try arguments.flag("--json")
        isOnline = try arguments.flag("--online")
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        var findings = Examination(context).findings()
        if isOnline { findings += EndpointChecks.findings(context) }
        if isJSON {
            try context.terminal.data(json: DoctorDocument(findings))
        } else {
            try context.terminal.data(findings.map { Self.lines($0) }.joined())
        }
        if let problems = DoctorFindings(findings) { throw problems }
    }

    static func lines(_ finding: Finding) -> String {
        let level = finding.level.rawValue
        let gap = String(repeating: " ", count: 9 - level.count)
        let line = "\(level)\(gap)\(finding.check): \(Printable.escaped(finding.text))\n"
        guard let hint = finding.hint else { return line }
        return line + String(repeating: " ", count: 9) + "hint: \(Printable.escaped(hint))\n"
    }
}

/// What the doctor found, as `vault doctor --json` gives it.
struct DoctorDocument: Encodable {
    let schemaVersion = WireJSON.schemaVersion
    let findings: [Entry]

    struct Entry: Encodable {
        let finding: Finding

        enum CodingKeys: String, CodingKey {
            case check, level, text, hint
        }

        // What is unknown is null, not missing.
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(finding.check, forKey: .check)
            try container.encode(finding.level.rawValue, forKey: .level)
            try container.encode(finding.text, forKey: .text)
            try container.encode(finding.hint, forKey: .hint)
        }
    }

    init(_ findings: [Finding]) {
        self.findings = findings.map { Entry(finding: $0) }
    }
}
