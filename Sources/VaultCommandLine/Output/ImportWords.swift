internal import VaultAgentClient
internal import VaultStore

/// What becomes of the accounts of an import, in words.
enum ImportWords {
    static func line(_ entry: ImportReport.Entry, isDry: Bool) -> String {
        let name = entry.name
        return switch entry.outcome {
        case .added: isDry ? "would add account \(name)" : "added account \(name)"
        case .movedBack:
            isDry
                ? "would use account \(name) here again" : "account \(name) is used here again"
        case .replaced:
            isDry ? "would replace account \(name)" : "replaced account \(name) by a later pair"
        case .skipped(let reason): "skipped account \(name): \(words(reason))"
        case .refused(let reason): "cannot take in account \(name): \(words(reason))"
        }
    }

    private static func words(_ skip: ImportReport.Skip) -> String {
        switch skip {
        case .same: "it is here, with the same pair"
        case .newer: "it is here, with a newer pair"
        case .spent: "it is here, and the refresh token in the file was spent since"
        case .movedAway:
            "it was moved away, and this copy is from before that: --replace takes it back"
        }
    }

    private static func words(_ refusal: ImportReport.Refusal) -> String {
        switch refusal {
        case .spent: "its refresh token was spent here: the file is an old copy"
        case .grantStored(let other): "account \(other) has its refresh token already"
        case .nameTaken: "another account has the name: rename or remove one of the two"
        case .twoOwners:
            "it is in use here, and the file has a later pair: --replace takes that one"
        case .repeated: "it is in the file more than once"
        }
    }
}

/// The report of an import as `vault import --json` gives it.
struct ImportDocument: Encodable {
    let schemaVersion = WireJSON.schemaVersion
    let dryRun: Bool
    let accounts: [Entry]

    struct Entry: Encodable {
        let name: String
        let outcome: String
        let reason: String?

        enum CodingKeys: String, CodingKey {
            case name, outcome, reason
        }

        // What is unknown is null, not missing.
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            try container.encode(outcome, forKey: .outcome)
            try container.encode(reason, forKey: .reason)
        }
    }

    init(_ report: ImportReport, isDry: Bool) {
        dryRun = isDry
        accounts = report.entries.map { entry in
            let (outcome, reason): (String, String?) =
                switch entry.outcome {
                case .added: ("added", nil)
                case .movedBack: ("moved_back", nil)
                case .replaced: ("replaced", nil)
                case .skipped(let skip): ("skipped", skip.rawValue)
                case .refused: ("refused", nil)
                }
            return Entry(name: entry.name.text, outcome: outcome, reason: reason)
        }
    }
}
