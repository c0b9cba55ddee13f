import FoundationEssentials
import Testing
import VaultMigrations
import VaultSQLite

@testable import VaultStore

@Suite struct SchemaTests {
    @Test func theNewestVersionIsThatOfTheLastMigration() {
        #expect(Schema.migrator.newestVersion == MigrationCatalog.newestVersion)
    }

    @Test func theDigestIsThatOfTheMigrations() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.write {
            try Schema.migrator.migrate(connection, from: 0, at: 0)
        }
        #expect(try Schema.digest(of: connection) == Schema.digest)
    }
}
