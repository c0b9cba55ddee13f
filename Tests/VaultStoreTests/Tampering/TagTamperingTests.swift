import Testing

@testable import VaultStore

/// Hints of tags: they say where to look, and nothing is believed but the record.
@Suite struct TagTamperingTests {
    private func withTags(_ body: (Editor, VaultFile) async throws -> Void) async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            for (name, tags) in [("home", ["x"]), ("work", ["x", "y"])]
                as [(AccountName, Set<AccountTag>)]
            {
                var account = Fixture.account(name)
                account.settings.tags = tags
                _ = try file.insert(account)
            }
            try await body(Editor(vault), file)
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
