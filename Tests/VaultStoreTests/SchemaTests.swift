import FoundationEssentials
import Testing
import VaultCrypto
import VaultMigrations
import VaultSQLite

@testable import VaultStore

@Suite struct SchemaTests {
    @Test func theNewestVersionIsThatOfTheLastMigration() {
        #expect(Schema.migrator.newestVersion == MigrationCatalog.newestVersion)
        #expect(MigrationCatalog.entries.map(\.version) == Array(1...Schema.newestVersion))
    }

    @Test("the accounts that are not well are found without looking at any other")
    func standingAccounts() throws {
        for (query, index) in [
            (VaultFile.selectStanding, "account_standing"),
            (VaultFile.selectChanges, "account_state_change"),
        ] {
            try expect(query, toUse: [index, index])
        }
    }

    @Test("what is due is found without looking at any other, and without sorting")
    func dueAccounts() throws {
        for (query, index) in [
            (VaultFile.selectDue, "account_due"),
            (VaultFile.selectDueAfter, "account_due"),
            (VaultFile.selectDueAfterLoss, "account_unknown_due"),
            (VaultFile.selectDueOfClient, "account_client_due"),
            (VaultFile.selectNextClient, "account_client_due"),
            (VaultFile.selectUnnamed, "account_client_due"),
        ] {
            try expect(query, toUse: [index])
        }
    }

    private func expect(_ query: String, toUse indexes: [String]) throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.write {
            try Schema.history(upTo: Schema.newestVersion).migrate(connection, from: 0, at: 0)
        }
        var plan = try connection.prepare("EXPLAIN QUERY PLAN \(query)")
        var steps: [String] = []
        while try plan.step() { steps.append(plan.text(at: 3)) }
        #expect(!steps.contains { $0.contains("SCAN") || $0.contains("TEMP") }, "\(steps)")
        let searches = steps.filter { $0.hasPrefix("SEARCH") }
        #expect(searches.count == indexes.count, "\(steps)")
        for (step, index) in zip(searches, indexes) {
            #expect(step.contains(" INDEX \(index) "), "\(steps)")
        }
    }

    @Test func theDigestsAreThoseOfTheMigrations() throws {
        #expect(Schema.digest(ofVersion: 0) == nil)
        #expect(Schema.digest(ofVersion: Schema.newestVersion + 1) == nil)
        for entry in MigrationCatalog.entries {
            let connection = try Connection(path: ":memory:", mode: .create)
            try connection.write {
                try Schema.history(upTo: entry.version).migrate(connection, from: 0, at: 0)
            }
            #expect(try Schema.digest(of: connection) == Schema.digest(ofVersion: entry.version))
        }
    }
}

extension Schema {
    /// What a program of an earlier version knew.
    static func history(upTo version: Int64) -> Migrator {
        Migrator(
            MigrationCatalog.entries.prefix { $0.version <= version }.map { entry in
                Migration(version: entry.version, name: entry.name, sql: entry.sql)
            },
            applicationID: MigrationCatalog.applicationID,
            checksum: { Digest.blake2b($0) }
        )
    }
}
