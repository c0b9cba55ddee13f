import Testing
import VaultSQLite

@Suite struct MigratorTests {
    private static let first = Migration(
        version: 1,
        name: "create_item",
        sql: Array(
            """
            CREATE TABLE schema_migration (version, name, checksum, applied_at);
            \(itemTable)
            """.utf8
        )
    )
    private static let second = Migration(
        version: 2,
        name: "fill_item",
        sql: Array("INSERT INTO item VALUES (7)".utf8)
    )
    private static let failing = Migration(
        version: 3,
        name: "fail",
        sql: Array("INSERT INTO item VALUES (8); INSERT INTO nowhere VALUES (1)".utf8)
    )

    @Test func aFreshDatabaseGetsEverything() throws {
        let connection = try Connection.inMemory()
        let migrator = Migrator.test([Self.first, Self.second], applicationID: 77)
        try connection.write { try migrator.migrate(connection, from: 0, at: 1234) }
        #expect(try migrator.version(of: connection) == 2)
        #expect(try connection.integerPragma("application_id") == 77)
        #expect(try connection.integerPragma("user_version") == 2)
        #expect(try connection.integers("SELECT value FROM item") == [7])
    }

    @Test func theLedgerSaysWhatWasRun() throws {
        let connection = try Connection.inMemory()
        let migrator = Migrator.test([Self.first, Self.second], applicationID: 77)
        try connection.write { try migrator.migrate(connection, from: 0, at: 1234) }
        var select = try connection.prepare(
            "SELECT version, name, checksum, applied_at FROM schema_migration ORDER BY version"
        )
        for migration in [Self.first, Self.second] {
            #expect(try select.step())
            #expect(select.integer(at: 0) == migration.version)
            #expect(select.text(at: 1) == migration.name)
            #expect(select.blob(at: 2) == [UInt8(migration.sql.count & 0xff)])
            #expect(select.integer(at: 3) == 1234)
        }
        #expect(try !select.step())
    }

    @Test func onlyWhatIsMissingIsRun() throws {
        let connection = try Connection.inMemory()
        let old = Migrator.test([Self.first], applicationID: 77)
        try connection.write { try old.migrate(connection, from: 0, at: 1) }
        let new = Migrator.test([Self.first, Self.second], applicationID: 77)
        let version = try new.version(of: connection)
        #expect(version == 1)
        try connection.write { try new.migrate(connection, from: version, at: 2) }
        #expect(try connection.integers("SELECT applied_at FROM schema_migration") == [1, 2])
        #expect(try connection.integers("SELECT value FROM item") == [7])
    }

    @Test func aMigrationThatFailsLeavesNothing() throws {
        let connection = try Connection.inMemory()
        let migrator = Migrator.test([Self.first, Self.second, Self.failing], applicationID: 77)
        #expect(throws: SQLiteError.self) {
            try connection.write { try migrator.migrate(connection, from: 0, at: 1) }
        }
        #expect(try connection.integers("SELECT count(*) FROM sqlite_schema") == [0])
        #expect(try connection.integerPragma("application_id") == 0)
        #expect(try connection.integerPragma("user_version") == 0)
    }

    @Test func aNewerSchemaIsRefused() throws {
        let connection = try Connection.inMemory()
        let new = Migrator.test([Self.first, Self.second], applicationID: 77)
        try connection.write { try new.migrate(connection, from: 0, at: 1) }
        #expect(throws: Migrator.Failure.newerSchema(version: 2)) {
            try Migrator.test([Self.first], applicationID: 77).version(of: connection)
        }
    }

    @Test(arguments: [0, 78, -1] as [Int64])
    func anotherProgramsDatabaseIsRefused(_ id: Int64) throws {
        let connection = try Connection.inMemory("PRAGMA application_id = \(id)")
        #expect(throws: Migrator.Failure.otherApplication(id: id)) {
            try Migrator.test([Self.first], applicationID: 77).version(of: connection)
        }
    }
}

extension Migrator {
    /// A migrator whose checksum is the length, which tells the migrations here apart.
    fileprivate static func test(_ migrations: [Migration], applicationID: Int64) -> Migrator {
        Migrator(migrations, applicationID: applicationID) { [UInt8($0.count & 0xff)] }
    }
}
