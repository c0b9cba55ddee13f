import FoundationEssentials
import Testing
import VaultSQLite

@testable import VaultStore

/// A schema that says more or less than ours runs nothing and is refused.
@Suite struct SchemaTamperingTests {
    @Test(arguments: [
        "CREATE TRIGGER t AFTER UPDATE ON account BEGIN DELETE FROM spent_token; END",
        "CREATE VIEW v AS SELECT * FROM account",
        "CREATE TABLE extra (a)",
        "CREATE TABLE extra (a, b AS (a || a) STORED)",
        "CREATE INDEX i ON account (state)",
        "CREATE INDEX i ON account (length(name))",
        "CREATE VIRTUAL TABLE f USING fts5(a)",
        "DROP INDEX account_due",
        "DROP TABLE spent_token",
        "DROP TABLE vault",
        "DROP TABLE account; CREATE VIEW account AS SELECT 1 AS number",
        "ALTER TABLE account ADD COLUMN extra TEXT",
        "ALTER TABLE account RENAME COLUMN state TO condition",
        "ALTER TABLE received_token RENAME TO other",
        "ANALYZE",
        "UPDATE sqlite_schema SET sql = replace(sql, 'IN (1, 2, 3)', 'IN (1, 2, 4)')",
        "PRAGMA user_version = 0",
        "PRAGMA user_version = -1",
    ])
    func aChangedSchemaIsRefused(_ change: String) async throws {
        try await withTemporaryVault { vault in
            _ = try vault.fill()
            try Editor(vault).run(change)
            let before = bytes(of: vault.database)
            #expect(throws: StoreError.tampered(.schema)) { try VaultFile(vault.location) }
            #expect(bytes(of: vault.database) == before)
        }
    }

    @Test(arguments: [
        "UPDATE sqlite_schema SET sql = 'rubbish' WHERE name = 'account'",
        "UPDATE sqlite_schema SET sql = NULL WHERE name = 'account'",
        "UPDATE sqlite_schema SET rootpage = 4294967295 WHERE name = 'account'",
        "UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'account'",
        "UPDATE sqlite_schema SET type = 'trigger' WHERE name = 'account'",
        """
        UPDATE sqlite_schema SET sql = 'CREATE TABLE account (' || \
        substr(replace(hex(zeroblob(100000)), '0', ',a'), 2) || ')' WHERE name = 'account'
        """,
        "DELETE FROM sqlite_schema WHERE name = 'account'",
        "DELETE FROM sqlite_schema",
    ])
    func aSchemaThatMakesNoSenseIsRefused(_ change: String) async throws {
        try await withTemporaryVault { vault in
            _ = try vault.fill()
            try Editor(vault).run(change)
            let before = bytes(of: vault.database)
            let error = try #require(throws: StoreError.self) { try VaultFile(vault.location) }
            #expect([.damaged(path: vault.database), .tampered(.schema)].contains(error))
            #expect(bytes(of: vault.database) == before)
        }
    }

    @Test func aTriggerThatIsAddedLaterDoesNotRun() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let editor = try Editor(vault)
            try editor.run(
                """
                CREATE TABLE stolen (a);
                CREATE TRIGGER t AFTER INSERT ON account BEGIN
                    INSERT INTO stolen VALUES (new.name);
                END
                """
            )
            _ = try file.insert(Fixture.account("work"))
            #expect(try editor.integer("SELECT count(*) FROM stolen") == 0)
        }
    }

    @Test(arguments: [false, true])
    func aNewerFormatIsRefusedAndLeftAlone(withLog: Bool) async throws {
        try await withTemporaryVault { vault in
            _ = try vault.fill()
            let newer = Schema.migrator.newestVersion + 1
            do {
                let editor = try Editor(vault)
                try editor.run("CREATE TABLE later (a); PRAGMA user_version = \(newer)")
                if withLog { try editor.run("PRAGMA journal_mode = WAL") }
            }
            let (database, files) = (bytes(of: vault.database), try vault.files())
            #expect(throws: StoreError.newerFormat(version: newer)) {
                try VaultFile(vault.location)
            }
            #expect(bytes(of: vault.database) == database)
            #expect(try vault.files() == files)
        }
    }

    @Test func aVaultThatSomebodyMigratesWhileItIsOpenTakesNoMoreWrites() async throws {
        try await withTemporaryVault { vault in
            let accounts = try vault.fill()
            let file = try vault.open()
            let work = try file.account(named: "work")
            let claim = try file.claim(work, intent: Fixture.intent([]))
            let newer = Schema.migrator.newestVersion + 1
            try Editor(vault).run("PRAGMA user_version = \(newer)")
            let error = StoreError.newerFormat(version: newer)
            #expect(throws: error) { try file.claim(work, intent: Fixture.intent([])) }
            #expect(throws: error) { try file.install(Fixture.pair("next"), for: claim) }
            #expect(throws: error) { try file.insert(Fixture.account("fourth")) }
            #expect(throws: error) { try file.remove("home") }
            #expect(throws: error) { try file.select("home") }
            #expect(try file.accountCount() == accounts.count)
        }
    }
}
