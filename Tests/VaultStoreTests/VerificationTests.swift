import FoundationEssentials
import Testing
import VaultCrypto
import VaultSQLite

@testable import VaultStore

@Suite struct VerificationTests {
    private typealias Finding = VerificationReport.Finding

    /// A vault with three accounts, a spent token, and a pair that came too late.
    private func withFullVault(_ body: (TemporaryVault) throws -> Void) async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try vault.fill()
            let hash = try file.spentTokenHash(of: Secret("refresh-third"))
            let third = try file.account(named: "third")
            let claim = try file.claim(third, intent: Fixture.intent(hash))
            _ = try file.install(Fixture.pair("third-2", spent: hash), for: claim)
            _ = try file.install(Fixture.pair("late", spent: nil), for: claim)
            try body(vault)
        }
    }

    @Test func aWholeVaultIsSound() async throws {
        try await withFullVault { vault in
            var seen: [Int] = []
            let report = try vault.open().verify { seen.append($0) }
            #expect(report.findings == [])
            #expect(report.wasUnlocked)
            #expect(report.accounts == 3)
            // Settings and tokens of three, intents of two, and the late pair.
            #expect(report.records == 9)
            #expect(seen == [3])
        }
    }

    @Test func aLockedVaultIsLookedAtAsFarAsThatGoes() async throws {
        try await withFullVault { vault in
            let report = try VaultFile(vault.location).verify()
            #expect(report.findings == [])
            #expect(!report.wasUnlocked)
            #expect(report.accounts == 3)
            #expect(report.records == 0)
            try Editor(vault).run("UPDATE account SET tokens_box = x'00' WHERE name = 'home'")
            #expect(
                try VaultFile(vault.location).verify().findings
                    == [Finding(.account("home"), .sealed("tokens_box"))]
            )
        }
    }

    @Test func manyAccountsAreReadInSteps() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            try file.connection.execute("PRAGMA synchronous = OFF")
            for index in 0..<130 {
                let name = try #require(AccountName("account-\(index)"))
                _ = try file.insert(Fixture.account(name))
            }
            var seen: [Int] = []
            // Another connection writes between the steps.
            let editor = try Editor(vault)
            let report = try file.verify { done in
                seen.append(done)
                #expect(throws: Never.self) {
                    try editor.run("UPDATE account SET due_at = due_at + 1")
                }
            }
            #expect(report.findings == [])
            #expect(seen == [64, 128, 130])
        }
    }

    /// What somebody with a database tool did, and what is found of it.
    struct Edit: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let findings: Set<VerificationReport.Finding>

        init(
            _ script: String,
            _ findings: [(VerificationReport.Part, VerificationReport.Problem)]
        ) {
            testDescription = script
            self.findings = Set(findings.map { VerificationReport.Finding($0.0, $0.1) })
        }

        private static let work = VerificationReport.Part.account("work")

        static let all = records + columns + keys + rest

        private static let records = ["account_box", "tokens_box", "intent_box"].map { column in
            Edit(
                """
                UPDATE account SET \(column) = (SELECT \(column) FROM account WHERE name = 'home')
                WHERE name = 'work'
                """,
                [(work, .sealed(column))]
            )
        }

        private static let columns = [
            Edit(
                "UPDATE account SET refresh_token_hash = zeroblob(32) WHERE name = 'work'",
                [(work, .differs("refresh_token_hash"))]
            ),
            Edit(
                "UPDATE account SET generation = generation + 1 WHERE name = 'work'",
                [(work, .sealed("tokens_box")), (work, .sealed("intent_box"))]
            ),
            Edit(
                "UPDATE account SET revision = 9 WHERE name = 'work'",
                [(work, .sealed("account_box"))]
            ),
            Edit(
                "UPDATE account SET name = 'other' WHERE name = 'work'",
                [(.account("other"), .differs("name"))]
            ),
            Edit(
                "UPDATE account SET account_id = randomblob(16) WHERE name = 'work'",
                [
                    (work, .sealed("account_box")), (work, .sealed("tokens_box")),
                    (work, .sealed("intent_box")), (.selection, .orphaned),
                    (.tags, .orphaned),
                ]
            ),
            Edit(
                "DELETE FROM account WHERE name = 'work'",
                [(.selection, .orphaned), (.tags, .orphaned)]
            ),
            Edit(
                """
                DELETE FROM account_tag \
                WHERE account_id = (SELECT account_id FROM account WHERE name = 'work')
                """,
                [(work, .differs("tag_hash"))]
            ),
            Edit(
                """
                INSERT INTO account_tag \
                SELECT zeroblob(32), account_id FROM account WHERE name = 'work'
                """,
                [(work, .differs("tag_hash"))]
            ),
            Edit(
                "INSERT INTO account_tag VALUES (zeroblob(32), zeroblob(16))",
                [(.tags, .orphaned)]
            ),
            Edit(
                """
                CREATE TEMP TABLE copy AS SELECT * FROM account WHERE name = 'work';
                UPDATE copy SET number = 99, name = 'zz', account_id = randomblob(16);
                INSERT INTO account SELECT * FROM copy
                """,
                [
                    (.account("zz"), .sealed("account_box")),
                    (.account("zz"), .sealed("tokens_box")),
                    (.account("zz"), .sealed("intent_box")),
                    (.account("zz"), .differs("refresh_token_hash")),
                ]
            ),
        ]

        private static let keys = [
            Edit(
                "UPDATE key_slot SET commitment = zeroblob(32)",
                [(.slot(1), .doesNotOpen)]
            ),
            Edit(
                "UPDATE key_slot SET passes = 7",
                [
                    (.slot(1), .malformed), (.slot(1), .doesNotOpen),
                ]
            ),
            Edit(
                "UPDATE key_slot SET kind = 1, passes = 3, memory = 1 << 40",
                [(.slot(1), .parametersOutOfRange)]
            ),
            Edit(
                "UPDATE key_slot SET kind = 9",
                [
                    (.slot(1), .malformed),
                    (.database, .structure("CHECK constraint failed in key_slot")),
                ]
            ),
            Edit(
                "UPDATE vault SET keyring_box = zeroblob(length(keyring_box))",
                [(.keyring, .doesNotOpen)]
            ),
            Edit("UPDATE vault SET selected_hash = zeroblob(32)", [(.selection, .doesNotOpen)]),
        ]

        private static let rest = [
            Edit(
                "UPDATE received_token SET generation = 7",
                [(.receivedToken(1), .sealed("tokens_box"))]
            ),
            Edit(
                "UPDATE schema_migration SET checksum = zeroblob(32) WHERE version = 2",
                [(.migrations, .malformed)]
            ),
            Edit("DELETE FROM schema_migration WHERE version = 1", [(.migrations, .malformed)]),
            Edit("UPDATE spent_token SET account_id = x'00'", [(.spentTokens, .malformed)]),
            Edit(
                "UPDATE activity SET actor = 'nobody 1' WHERE action = 'account_added'",
                [(.activity, .changedRows(3))]
            ),
        ]
    }

    @Test("security: what was edited is named, and the rest looked at", arguments: Edit.all)
    func edits(_ edit: Edit) async throws {
        try await withFullVault { vault in
            // Opened before: the keys stay with whoever has the vault open.
            let file = try vault.open()
            try Editor(vault).run(edit.testDescription)
            let report = try file.verify()
            #expect(Set(report.findings) == edit.findings)
        }
    }

    @Test func aFlippedBitInARecordIsFound() async throws {
        try await withFullVault { vault in
            let file = try vault.open()
            let editor = try Editor(vault)
            for column in ["account_box", "tokens_box", "intent_box"] {
                let box = try editor.box(column, of: "home")
                for _ in 0..<20 {
                    var flipped = box
                    let place = Int.random(in: box.indices)
                    flipped[place] ^= 1 << UInt8.random(in: 0..<8)
                    try editor.setBox(column, of: "home", to: flipped)
                    #expect(
                        try file.verify().findings
                            == [Finding(.account("home"), .sealed(column))],
                        "byte \(place) of \(column)"
                    )
                }
                try editor.setBox(column, of: "home", to: box)
            }
            #expect(try file.verify().isSound)
        }
    }

    @Test func aPageThatIsOverwrittenIsFoundAndHidesNoOther() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            try file.connection.execute("PRAGMA synchronous = OFF")
            for index in 0..<40 {
                let name = try #require(AccountName("account-\(index)"))
                let grant = String(repeating: "x", count: 9000) + name.text
                _ = try file.insert(Fixture.account(name, grant: grant))
            }
            let box = try Editor(vault).box("tokens_box", of: "account-20")
            var content = bytes(of: vault.database)
            // Somewhere in the pages that a long record overflows to.
            let piece = Array(box[6000..<6016])
            let place = try #require(
                content.indices.dropLast(16).first { Array(content[$0..<$0 + 16]) == piece }
            )
            let page = place / 4096 * 4096
            for index in page..<page + 4096 { content[index] = 0xff }
            try write(content, to: vault.database)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600],
                ofItemAtPath: vault.database
            )
            let again = try vault.open()
            let report = try again.verify()
            let damaged = report.findings.filter { $0.part != .database }
            #expect(damaged.map(\.part) == [.account("account-20")])
            #expect(report.findings.count > 1)
            #expect(report.accounts == 40)
            let page1 = try again.accountPage(after: nil, limit: 64)
            #expect(page1.damaged == ["account-20"])
            #expect(page1.accounts.count == 39)
            #expect(page1.next == nil)
        }
    }
}
