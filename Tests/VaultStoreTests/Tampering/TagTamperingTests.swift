import OAuth
import Platform
import Testing
import VaultCrypto

@testable import VaultStore

/// Hints of tags: they say where to look, and nothing is believed but the record.
@Suite struct TagTamperingTests {
    private func withTags(_ body: (Editor, VaultFile) async throws -> Void) async throws {
        try await withVault { _, editor, file in try await body(editor, file) }
    }

    private func withVault(
        _ body: (TemporaryVault, Editor, VaultFile) async throws -> Void
    ) async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            for (name, tags) in [("home", ["x"]), ("work", ["x", "y"])]
                as [(AccountName, Set<AccountTag>)]
            {
                var account = Fixture.account(name)
                account.settings.tags = tags
                _ = try file.insert(account)
            }
            try await body(vault, Editor(vault), file)
        }
    }

    private static let home = "(SELECT account_id FROM account WHERE name = 'home')"
    private static let work = "(SELECT account_id FROM account WHERE name = 'work')"

    @Test("a wrong hint makes no account findable by a tag it has not")
    func wrong() async throws {
        try await withTags { editor, file in
            // Every account is said to have every tag.
            try editor.run(
                """
                INSERT OR IGNORE INTO account_tag \
                SELECT tag_hash, account.account_id FROM account_tag, account
                """
            )
            #expect(try file.found("x") == ["home", "work"])
            #expect(try file.found("y") == ["work"])
            #expect(try file.found("x", "y") == ["work"])
            #expect(
                try file.verify().findings == [.init(.account("home"), .differs("tag_hash"))]
            )
        }
    }

    @Test("a missing hint hides its account from a search, from nothing else")
    func missing() async throws {
        try await withTags { editor, file in
            try editor.run("DELETE FROM account_tag WHERE account_id = \(Self.work)")
            #expect(try file.found("x") == ["home"])
            #expect(try file.found("y") == [])
            #expect(try file.account(named: "work").settings.tags == ["x", "y"])
            #expect(
                try file.verify().findings == [.init(.account("work"), .differs("tag_hash"))]
            )
        }
    }

    @Test(
        "what is no hint is passed over",
        arguments: [
            "INSERT INTO account_tag SELECT DISTINCT tag_hash, zeroblob(16) FROM account_tag",
            "INSERT INTO account_tag SELECT DISTINCT tag_hash, x'' FROM account_tag",
            "INSERT INTO account_tag SELECT DISTINCT tag_hash, zeroblob(17) FROM account_tag",
            "INSERT OR IGNORE INTO account_tag SELECT x'', account_id FROM account_tag",
        ]
    )
    func nonsense(script: String) async throws {
        try await withTags { editor, file in
            try editor.run(script)
            #expect(try file.found("x") == ["home", "work"])
            #expect(try file.found("y") == ["work"])
            #expect(try !file.verify().findings.isEmpty)
        }
    }

    private static let orphan = VerificationReport.Finding(.tags, .orphaned)
    private static let wrongHints: [VerificationReport.Finding] = [
        .init(.account("work"), .differs("tag_hash")), orphan,
    ]

    /// Takes the hints of "work" away, and adds those of an account that is not there.
    private static let spoiling = """
        UPDATE account_tag SET account_id = zeroblob(16) WHERE account_id = \(work)
        """

    @Test(
        "wrong hints stop no backup and no restore, which writes them anew",
        arguments: [true, false]
    )
    func copies(isOverVault: Bool) async throws {
        try await withVault { vault, editor, file in
            try editor.run(Self.spoiling)
            let report = try file.backup(to: vault.copy)
            #expect(report.findings == Self.wrongHints)
            #expect(!report.isSound && report.isRestorable)
            if !isOverVault { try FileSystem.remove(vault.database) }
            _ = try vault.restore(vault.copy)
            let restored = try vault.open()
            #expect(try restored.verify().findings == [])
            #expect(try restored.found("x") == ["home", "work"])
            #expect(try restored.found("y") == ["work"])
        }
    }

    @Test("anything else that is wrong beside them still stops a backup")
    func damagedBeside() async throws {
        try await withVault { vault, editor, file in
            try editor.run(Self.spoiling)
            try editor.setBox("tokens_box", of: "home", to: editor.box("tokens_box", of: "work"))
            #expect(throws: StoreError.self) { try file.backup(to: vault.copy) }
            #expect(try !file.verify().isRestorable)
        }
    }

    @Test("a change of the account puts its hints right, and a new root key all of them")
    func mending() async throws {
        try await withTags { editor, file in
            try editor.run(Self.spoiling)
            #expect(try file.verify().findings == Self.wrongHints)
            #expect(try file.changeTags(of: "work") { $0 }.settings.tags == ["x", "y"])
            #expect(try file.verify().findings == [Self.orphan])
            try editor.run("DELETE FROM account_tag")
            #expect(try file.found("x") == [])
            _ = try file.changeTags(of: "work") { $0.union(["z"]) }
            #expect(try file.found("z") == ["work"])
            try editor.run(Self.spoiling)
            _ = try file.rekey(
                authorizedBy: .keyFile,
                slots: [:],
                dropping: [],
                now: Fixture.now
            )
            #expect(try file.verify().findings == [])
            #expect(try file.found("x") == ["home", "work"])
        }
    }

    @Test("a client's new secret puts the hints of its accounts right")
    func newSecret() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            var account = Fixture.account("work", of: Fixture.client)
            account.settings.tags = ["x"]
            _ = try file.insert(account)
            try Editor(vault).run("DELETE FROM account_tag")
            let secret = NewClientSecret(
                client: Fixture.client.id,
                tokenEndpoint: nil,
                secret: Secret("new"),
                authentication: nil,
                keepsOld: false
            )
            #expect(try file.setSecret(secret, at: Fixture.now) == ["work"])
            #expect(try file.found("x") == ["work"])
        }
    }

    @Test("an account that does not open is named and hides no other")
    func damaged() async throws {
        try await withTags { editor, file in
            try editor.setBox("account_box", of: "work", to: editor.box("account_box", of: "home"))
            let found = try file.all(["x"])
            #expect(found.accounts.map(\.name) == ["home"])
            #expect(found.damaged == ["work"])
        }
    }

    @Test("tags of one vault are other hashes in another")
    func otherVault() async throws {
        try await withTags { first, _ in
            try await withTags { second, _ in
                let (here, there) = (try first.hashes(), try second.hashes())
                #expect(here.count == 2 && here.isDisjoint(with: there))
            }
        }
    }
}
