import FoundationEssentials
import Testing

/// The lines of the corpus where careful products may differ and the vault does not take `expect`:
/// the number of the alternative, from 0.
///
/// The page about providers tells users the same.
enum ContestedChoices {
    static let alternatives = [
        "tr-rot-number-01": 1,
        "tr-scope-dupe-01": 0,
        "rq-basecamp-01": 0,
        "ds-tr-08": 0,
        "az-ht-03": 0,
    ]

    /// What a line is to come to.
    static func decision<Expected>(
        _ id: String,
        _ expected: Expected,
        _ others: [Expected]?
    ) -> Expected {
        alternatives[id].flatMap { others?[$0] } ?? expected
    }
}

@Suite struct ContestedChoicesTests {
    private static let page = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Documentation/Providers.md")

    /// A row of the page's table: `| file | class | line | alternative | choice |`.
    private func rows() throws -> [(id: String, alternative: Int)] {
        let text = String(decoding: try Data(contentsOf: Self.page), as: UTF8.self)
        return text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map {
                $0.drop { $0 == " " }.split(separator: " ")
            }
            guard cells.count == 5, let id = cells[2].first, let number = cells[3].first,
                let alternative = Int(number)
            else { return nil }
            return (String(id), alternative)
        }
    }

    @Test func thePageNamesEachChoiceAndNoOther() throws {
        let told = try rows()
        #expect(
            Dictionary(told) { first, _ in first }
                == ContestedChoices.alternatives.mapValues { $0 + 1 }
        )
        #expect(told.count == ContestedChoices.alternatives.count)
    }

    @Test func onlyContestedLinesAreChosen() {
        struct Row: Decodable {
            let id: String
            let contested: Bool?
        }
        let files = [
            "token_responses", "jwt_expiry", "token_requests", "discovery", "authz_redirects",
            "device_authorization",
        ]
        let contested = files.flatMap { Corpus.rows("\($0).jsonl", as: Row.self) }
            .filter { $0.contested == true }.map(\.id)
        #expect(Set(ContestedChoices.alternatives.keys).isSubset(of: contested))
    }
}
