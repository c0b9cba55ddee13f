import Testing
import VaultSQLite

@Suite struct StatementTests {
    @Test func aReusedStatementStartsAtTheFirstRow() throws {
        let connection = try Connection.inMemory(
            "\(itemTable); INSERT INTO item VALUES (1), (2), (3)"
        )
        let sql = "SELECT value FROM item ORDER BY value"
        do {
            var first = try connection.prepare(sql)
            #expect(try first.step())
            #expect(try first.step())
        }
        var second = try connection.prepare(sql)
        #expect(try second.step())
        #expect(second.integer(at: 0) == 1)
    }

    @Test func aReusedStatementHasForgottenItsValues() throws {
        let connection = try Connection.inMemory()
        do {
            var first = try connection.prepare("SELECT ?1")
            first.bind("secret", at: 1)
            #expect(try first.step())
        }
        var second = try connection.prepare("SELECT ?1")
        #expect(try second.step())
        #expect(second.isNull(at: 0) == true)
    }

    @Test func aReusedStatementForgetsItsError() throws {
        let connection = try Connection.inMemory(itemTable)
        try connection.insert(1)
        #expect(throws: SQLiteError.self) { try connection.insert(1) }
        try connection.insert(2)
        #expect(try connection.integers("SELECT value FROM item ORDER BY value") == [1, 2])
    }

    @Test func theSameTextCanBeRunInsideItself() throws {
        let connection = try Connection.inMemory(
            "\(itemTable); INSERT INTO item VALUES (1), (2)"
        )
        let sql = "SELECT value FROM item ORDER BY value"
        var outer = try connection.prepare(sql)
        var seen: [[Int64]] = []
        while try outer.step() {
            seen.append([outer.integer(at: 0)] + (try connection.integers(sql)))
        }
        #expect(seen == [[1, 1, 2], [2, 1, 2]])
    }

    @Test func aStatementKeepsItsConnection() throws {
        var statement = try Connection.inMemory(itemTable).prepare("SELECT count(*) FROM item")
        #expect(try statement.step())
        #expect(statement.integer(at: 0) == 0)
    }

    @Test func aReusedStatementFollowsAChangedSchema() throws {
        let connection = try Connection.inMemory("\(itemTable); INSERT INTO item VALUES (4)")
        #expect(try connection.integers("SELECT * FROM item") == [4])
        try connection.executeScript(
            "DROP TABLE item; CREATE TABLE item (other INTEGER); INSERT INTO item VALUES (5)"
        )
        #expect(try connection.integers("SELECT * FROM item") == [5])
    }

    @Test(arguments: ["", " ", "-- nothing"])
    func sqlWithoutAStatementTraps(_ sql: String) async {
        await #expect(processExitsWith: .failure) { [sql = sql as String] in
            let connection = try Connection.inMemory()
            _ = try connection.prepare(sql)
        }
    }

    @Test func sqlThatDoesNotCompileNamesItself() throws {
        let connection = try Connection.inMemory()
        let error = try #require(throws: SQLiteError.self) {
            try connection.execute("SELECT value FROM nowhere")
        }
        #expect(error.sql == "SELECT value FROM nowhere")
        #expect(error.message == "no such table: nowhere")
    }
}
