import FoundationEssentials
import Platform
import Testing
import VaultCrypto
import VaultSQLite

@testable import VaultStore

/// Finding accounts by their tags, whatever is done to tags, records and keys.
@Suite(.timeLimit(.minutes(1))) struct FindingTests {
    private func account(_ name: AccountName, _ tags: Set<AccountTag>) -> NewAccount {
        var account = Fixture.account(name)
        account.settings.tags = tags
        return account
    }

    private func withTaggedAccounts(
        _ body: (TemporaryVault, VaultFile) async throws -> Void
    ) async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            for (name, tags) in Self.tagged { _ = try file.insert(account(name, tags)) }
            try await body(vault, file)
        }
    }

    private static let tagged: [(AccountName, Set<AccountTag>)] = [
        ("d", ["x", "y"]), ("b", ["x"]), ("c", ["y"]), ("a", ["x", "y", "z"]), ("e", []),
    ]

    private func expectFound(_ file: VaultFile, _ comment: Comment? = nil) throws {
        #expect(try file.found("x") == ["a", "b", "d"], comment)
        #expect(try file.found("x", "y") == ["a", "d"], comment)
        #expect(try file.found("x", "y", "z") == ["a"], comment)
        #expect(try file.found("x", "none") == [], comment)
        #expect(try file.found("X") == [], comment)
        #expect(try file.verify().findings == [], comment)
    }

    @Test func whatHasEveryTagIsFound() async throws {
        try await withTaggedAccounts { _, file in
            try expectFound(file)
            #expect(try file.found() == [])
            let many = (0...AccountTag.limit).compactMap { AccountTag("\($0)") }
            #expect(try file.found(Set(many)) == [])
        }
    }

    @Test func partsMakeAWhole() async throws {
        try await withTaggedAccounts { _, file in
            for limit in 1...4 {
                let found = try TaggedAccounts.all {
                    try file.accounts(tagged: ["x"], after: $0, limit: limit)
                }
                #expect(found.accounts.map(\.name) == ["a", "b", "d"])
            }
        }
    }

    @Test("of 2,000 accounts only the found ones are opened")
    func othersStayClosed() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            try file.connection.execute("PRAGMA synchronous = OFF")
            for index in 0..<2000 {
                let name = try #require(AccountName("account-\(index)"))
                let group = try #require(AccountTag("group \(index % 500)"))
                _ = try file.insert(account(name, ["all", group]))
            }
            // Whatever else were opened would be damaged.
            try Editor(vault).run(
                """
                UPDATE account SET account_box = zeroblob(580), tokens_box = zeroblob(580) \
                WHERE name NOT LIKE 'account-%7'
                """
            )
            let found = try file.all(["all", "group 7"])
            let names = ["account-1007", "account-1507", "account-507", "account-7"]
            #expect(found.accounts.map(\.name.text) == names)
            #expect(found.damaged == [])
            #expect(try file.all(["all"]).damaged.count == 1800)
        }
    }

    @Test func tagsCanBeSet() async throws {
        try await withTaggedAccounts { vault, file in
            let before = try file.account(named: "b")
            let set = try file.setTags(["new"], of: "b")
            #expect(set.settings.tags == ["new"])
            #expect(try file.account(named: "b") == set)
            #expect(set.revision == before.revision + 1)
            #expect(set.tokens == before.tokens && set.health == before.health)
            #expect(try file.found("x") == ["a", "d"])
            #expect(try file.found("new") == ["b"])
            // The same once more changes no record, and mends the hints.
            try Editor(vault).run("DELETE FROM account_tag")
            #expect(try file.found("new") == [])
            #expect(try file.setTags(["new"], of: "b") == set)
            #expect(try file.found("new") == ["b"])
            _ = try file.setTags([], of: "b")
            #expect(try file.found("new") == [])
            #expect(throws: StoreError.noSuchAccount("nobody")) {
                try file.setTags([], of: "nobody")
            }
        }
    }

    @Test func hintsGoWithTheirAccount() async throws {
        try await withTaggedAccounts { vault, file in
            for (name, _) in Self.tagged { try file.remove(name) }
            #expect(try Editor(vault).integer("SELECT count(*) FROM account_tag") == 0)
        }
    }

    @Test func aRefreshKeepsThem() async throws {
        try await withTaggedAccounts { _, file in
            let account = try file.account(named: "a")
            let claim = try file.claim(account, intent: Fixture.intent([1]))
            #expect(
                try file.install(Fixture.pair("next"), for: claim) == .installed(generation: 2)
            )
            try expectFound(file)
        }
    }

    @Test func replacingTakesTheNewOnes() async throws {
        try await withTaggedAccounts { _, file in
            let old = try file.account(named: "a")
            var new = account("a", ["other"])
            new.tokens = Fixture.tokens("again")
            _ = try file.replace(old, with: new)
            #expect(try file.found("x") == ["b", "d"])
            #expect(try file.found("other") == ["a"])
            #expect(try file.verify().findings == [])
        }
    }

    @Test func newKeysLeaveEverythingFindable() async throws {
        try await withTaggedAccounts { vault, file in
            let hashes = try Editor(vault).hashes()
            _ = try file.rotateKeys(authorizedBy: .keyFile, now: Fixture.now)
            try expectFound(file, "rotated")
            #expect(try Editor(vault).hashes() == hashes)
            // Whatever was planted goes with the old root key.
            try Editor(vault).run("INSERT INTO account_tag VALUES (zeroblob(32), zeroblob(16))")
            let other = try vault.open()
            let unlock = Unlock.keyFile
            _ = try file.rekey(authorizedBy: unlock, slots: [:], dropping: [], now: Fixture.now)
            #expect(try Editor(vault).hashes().isDisjoint(with: hashes))
            // Whoever has the vault open too has the new keys by then.
            for file in [file, other, try vault.open()] { try expectFound(file, "rekeyed") }
        }
    }

    @Test func copiesHaveThem() async throws {
        try await withTaggedAccounts { vault, file in
            try file.backup(to: vault.copy)
            _ = try file.setTags(["later"], of: "a")
            try file.remove("b")
            _ = try vault.restore(vault.copy)
            try expectFound(file)
        }
    }

    @Test func exportsHaveThem() async throws {
        try await withTaggedAccounts { _, there in
            try await withTemporaryVault { vault in
                let here = try vault.open()
                let export = try there.export(at: Fixture.moment)
                let read = try AccountExport(decoding: export.encoded)
                _ = try here.importAccounts(of: read, at: Fixture.moment) { _, _ in nil }
                try expectFound(here)
                // An older program's file says nothing of tags: those that are here stay.
                var later = read
                for index in later.accounts.indices {
                    later.accounts[index].generation += 1
                    later.accounts[index].settings.tags = []
                }
                _ = try here.importAccounts(of: later, replacing: true, at: Fixture.moment) {
                    _,
                    _ in
                    nil
                }
                #expect(try here.account(named: "a").generation == 2)
                try expectFound(here)
            }
        }
    }
}

extension VaultFile {
    func setTags(_ tags: Set<AccountTag>, of name: AccountName) throws -> StoredAccount {
        try changeTags(of: name) { _ in tags }
    }

    func all(_ tags: Set<AccountTag>) throws -> TaggedAccounts {
        try TaggedAccounts.all { try accounts(tagged: tags, after: $0, limit: 256) }
    }

    func found(_ tags: Set<AccountTag>) throws -> [AccountName] {
        try all(tags).accounts.map(\.name)
    }

    func found(_ tags: AccountTag...) throws -> [AccountName] { try found(Set(tags)) }
}

extension Editor {
    /// The hashes of all tags.
    func hashes() throws -> Set<[UInt8]> {
        var select = try connection.prepare("SELECT tag_hash FROM account_tag")
        var hashes: Set<[UInt8]> = []
        while try select.step() { hashes.insert(select.blob(at: 0)) }
        return hashes
    }
}
