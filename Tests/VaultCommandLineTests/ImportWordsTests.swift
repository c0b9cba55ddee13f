import FoundationEssentials
import Testing
import VaultAgentClient
import VaultStore

@testable import VaultCommandLine

@Suite struct ImportWordsTests {
    struct Row: Sendable {
        let outcome: ImportReport.Outcome
        let line: String
        let json: String

        init(_ outcome: ImportReport.Outcome, _ line: String, _ json: String) {
            self.outcome = outcome
            self.line = line
            self.json = json
        }
    }

    @Test(
        "each outcome has its words",
        arguments: [
            Row(.added, "added account work", #""outcome":"added","reason":null"#),
            Row(.movedBack, "account work is used here again", #""moved_back","reason":null"#),
            Row(.replaced, "replaced account work by a later pair", #""replaced","reason":null"#),
            Row(
                .skipped(.same),
                "skipped account work: it is here, with the same pair",
                #""skipped","reason":"same""#
            ),
            Row(
                .skipped(.newer),
                "skipped account work: it is here, with a newer pair",
                #""skipped","reason":"newer""#
            ),
            Row(
                .skipped(.spent),
                "skipped account work: it is here, and the refresh token in the file was spent "
                    + "since",
                #""skipped","reason":"spent""#
            ),
            Row(
                .refused(.spent),
                "cannot take in account work: its refresh token was spent here: the file is an "
                    + "old copy",
                #""refused""#
            ),
            Row(
                .refused(.grantStored(in: "mine")),
                "cannot take in account work: account mine has its refresh token already",
                #""refused""#
            ),
            Row(
                .refused(.nameTaken),
                "cannot take in account work: another account has the name: rename or remove one "
                    + "of the two",
                #""refused""#
            ),
            Row(
                .refused(.twoOwners),
                "cannot take in account work: it is in use here, and the file has a later pair: "
                    + "--replace takes that one",
                #""refused""#
            ),
            Row(
                .refused(.repeated),
                "cannot take in account work: it is in the file more than once",
                #""refused""#
            ),
        ]
    )
    func words(row: Row) throws {
        let entry = ImportReport.Entry(name: "work", outcome: row.outcome)
        #expect(ImportWords.line(entry, isDry: false) == row.line)
        let document = ImportDocument(ImportReport(entries: [entry]), isDry: false)
        let json = String(decoding: try WireJSON.encode(document), as: UTF8.self)
        #expect(json.contains(row.json))
        #expect(json.hasPrefix(#"{"accounts":[{"name":"work","#))
        #expect(json.hasSuffix(#"],"dryRun":false,"schemaVersion":1}"#))
    }

    @Test(
        "a dry run says what would be",
        arguments: [
            (ImportReport.Outcome.added, "would add account work"),
            (.movedBack, "would use account work here again"),
            (.replaced, "would replace account work"),
        ]
    )
    func dryRun(outcome: ImportReport.Outcome, line: String) {
        let entry = ImportReport.Entry(name: "work", outcome: outcome)
        #expect(ImportWords.line(entry, isDry: true) == line)
    }
}
