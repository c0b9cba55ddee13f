import Testing
import VaultSQLite

/// What a hostile schema can no longer do once the options are set.
@Suite struct ConnectionOptionTests {
    @Test func triggersDoNotFire() throws {
        let connection = try Connection.inMemory(
            """
            \(itemTable);
            CREATE TRIGGER more AFTER INSERT ON item BEGIN INSERT INTO item VALUES (99); END
            """
        )
        try connection.insert(1)
        try connection.configure(.triggers, false)
        try connection.insert(2)
        #expect(try connection.integers("SELECT value FROM item ORDER BY value") == [1, 2, 99])
    }

    @Test func viewsCannotBeRead() throws {
        let connection = try Connection.inMemory("CREATE VIEW item AS SELECT 7 AS value")
        #expect(try connection.integers("SELECT value FROM item") == [7])
        try connection.configure(.views, false)
        #expect(throws: SQLiteError.self) { try connection.integers("SELECT value FROM item") }
    }

    @Test func theSchemaCannotBeEditedAsATable() throws {
        let connection = try Connection.inMemory(itemTable)
        try connection.configure(.defensive, true)
        try connection.execute("PRAGMA writable_schema = ON")
        #expect(throws: SQLiteError.self) {
            try connection.execute("UPDATE sqlite_schema SET sql = ''")
        }
    }

    @Test func aNameInDoubleQuotesIsNoText() throws {
        let connection = try Connection.inMemory(itemTable)
        try connection.configure(.doubleQuotedStringsInDML, true)
        #expect(try connection.integers(#"SELECT count(*) FROM item WHERE "x" = ''"#) == [0])
        try connection.configure(.doubleQuotedStringsInDML, false)
        #expect(throws: SQLiteError.self) {
            try connection.integers(#"SELECT value FROM item WHERE "x" = ''"#)
        }
    }

    @Test(arguments: Connection.Option.allCases, [true, false])
    func everyOptionIsTaken(option: Connection.Option, on: Bool) throws {
        try Connection.inMemory().configure(option, on)
    }
}
