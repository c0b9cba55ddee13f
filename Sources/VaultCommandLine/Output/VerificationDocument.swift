internal import VaultAgentClient
internal import VaultStore

/// What `vault verify --json` says.
struct VerificationDocument: Encodable {
    let schemaVersion = WireJSON.schemaVersion
    let file: String
    let sound: Bool
    let unlocked: Bool
    let accounts: Int
    let records: Int
    let findings: [FindingDocument]

    init(_ report: VerificationReport, of path: String) {
        file = path
        sound = report.isSound
        unlocked = report.wasUnlocked
        accounts = report.accounts
        records = report.records
        findings = report.findings.map { FindingDocument($0) }
    }

    private enum CodingKeys: CodingKey {
        case schemaVersion, file, sound, unlocked, accounts, records, findings
    }
}

/// One thing that was found.
struct FindingDocument: Encodable {
    let part: String
    var account: String?
    var number: Int64?
    let problem: String
    var detail: String?

    private enum CodingKeys: CodingKey {
        case part, account, number, problem, detail
    }

    init(_ finding: VerificationReport.Finding) {
        switch finding.part {
        case .database: part = "database"
        case .schema: part = "schema"
        case .migrations: part = "migrations"
        case .header: part = "header"
        case .slot(let slot): (part, number) = ("slot", slot)
        case .keyring: part = "keyring"
        case .selection: part = "selection"
        case .account(let name): (part, account) = ("account", name)
        case .tags: part = "tags"
        case .receivedToken(let row): (part, number) = ("received_token", row)
        case .spentTokens: part = "spent_tokens"
        case .activity: part = "log"
        }
        switch finding.problem {
        case .structure(let words): (problem, detail) = ("structure", words)
        case .unreadable: problem = "unreadable"
        case .malformed: problem = "malformed"
        case .parametersOutOfRange: problem = "parameters_out_of_range"
        case .doesNotOpen: problem = "does_not_open"
        case .sealed(let column): (problem, detail) = ("record_does_not_open", column)
        case .differs(let column): (problem, detail) = ("column_differs", column)
        case .orphaned: problem = "orphaned"
        case .changedRows(let count): (problem, detail) = ("rows_changed", "\(count)")
        }
    }

    // What does not apply is null, not missing.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(part, forKey: .part)
        try container.encode(account, forKey: .account)
        try container.encode(number, forKey: .number)
        try container.encode(problem, forKey: .problem)
        try container.encode(detail, forKey: .detail)
    }
}

extension VerificationReport {
    /// What puts wrong hints of tags right.
    static let tagHintMending =
        "vault tag NAME --add TEXT, or vault key rekey for all accounts, writes them anew"
}

extension VerificationReport.Finding {
    /// One line for a person.
    var words: String { "\(part.words) \(problem.words)" }
}

extension VerificationReport.Part {
    fileprivate var words: String {
        switch self {
        case .database: "the database"
        case .schema: "the schema"
        case .migrations: "the list of migrations"
        case .header: "the header"
        case .slot(let number): "key slot \(number)"
        case .keyring: "the keyring"
        case .selection: "the choice of the current account"
        case .account(let name): "account '\(name)'"
        case .tags: "the list of tags"
        case .receivedToken(let number): "late pair \(number)"
        case .spentTokens: "the list of spent tokens"
        case .activity: "the log"
        }
    }
}

extension VerificationReport.Problem {
    fileprivate var words: String {
        switch self {
        case .structure(let words): "is damaged: \(words)"
        case .unreadable: "cannot be read"
        case .malformed: "is not as a vault writes it"
        case .parametersOutOfRange: "asks for more work than is done for a file"
        case .doesNotOpen: "does not open with its key"
        case .sealed(let column): "has a \(column) that does not open: changed, or from elsewhere"
        case .differs(let column): "has a \(column) that says something else than what is sealed"
        case .orphaned: "speaks of an account that is not there"
        case .changedRows(let count):
            "has \(Plural.text(count, "row")) that nothing vouches for: changed, or made up"
        }
    }
}
