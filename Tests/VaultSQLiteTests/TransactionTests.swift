import Testing
import VaultSQLite

@Suite struct TransactionTests {
    private struct Stop: Error {}

    @Test func anErrorRollsEverythingBack() throws {
        let connection = try Connection.inMemory(itemTable)
        #expect(throws: Stop.self) {
            try connection.write {
                try connection.insert(1)
                throw Stop()
            }
        }
        #expect(try connection.integers("SELECT value FROM item").isEmpty)
        try connection.write { try connection.insert(2) }
        #expect(try connection.integers("SELECT value FROM item") == [2])
    }

    @Test func aFailedStatementRollsEverythingBack() throws {
        let connection = try Connection.inMemory(itemTable)
        #expect(throws: SQLiteError.self) {
            try connection.write {
                try connection.insert(1)
                try connection.insert(1)
            }
        }
        #expect(try connection.integers("SELECT value FROM item").isEmpty)
    }

    @Test func aRefusedCommitRollsEverythingBack() throws {
        let connection = try Connection.inMemory(
            """
            PRAGMA foreign_keys = ON;
            CREATE TABLE parent (id INTEGER PRIMARY KEY);
            CREATE TABLE child (id INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED)
            """
        )
        let error = try #require(throws: SQLiteError.self) {
            try connection.write { try connection.execute("INSERT INTO child VALUES (7)") }
        }
        #expect(error.code.primary == .constraint)
        #expect(try connection.integers("SELECT id FROM child").isEmpty)
        try connection.write { try connection.execute("INSERT INTO parent VALUES (1)") }
    }

    @Test func aTransactionInsideAnotherIsRefusedAndEndsBoth() throws {
        let connection = try Connection.inMemory(itemTable)
        #expect(throws: SQLiteError.self) {
            try connection.write {
                try connection.insert(1)
                try connection.write { try connection.insert(2) }
            }
        }
        #expect(try connection.integers("SELECT value FROM item").isEmpty)
    }

    @Test func anOpenStatementDoesNotKeepTheRollbackFromHappening() throws {
        let connection = try Connection.inMemory("\(itemTable); INSERT INTO item VALUES (1), (2)")
        var select = try connection.prepare("SELECT value FROM item")
        #expect(try select.step())
        #expect(throws: Stop.self) {
            try connection.write {
                try connection.insert(3)
                throw Stop()
            }
        }
        #expect(try connection.integers("SELECT value FROM item ORDER BY value") == [1, 2])
    }

    @Test func aWriterHasTheLockFromItsFirstMoment() async throws {
        try await withTemporaryDatabase { path in
            let first = try Connection(path: path, mode: .create)
            let second = try Connection(path: path, mode: .create, busyLimit: 0)
            try first.executeScript(itemTable)
            try first.write {
                let error = try #require(throws: SQLiteError.self) { try second.write {} }
                #expect(error.code.primary == .busy)
            }
            try second.write { try second.insert(1) }
        }
    }

    @Test func aReaderSeesOneMoment() async throws {
        try await withTemporaryDatabase { path in
            let reader = try Connection(path: path, mode: .create)
            let writer = try Connection(path: path, mode: .create, busyLimit: 0.01)
            try writer.executeScript(itemTable)
            let seen = try reader.read {
                let before = try reader.integers("SELECT value FROM item")
                // With a rollback journal the writer has to wait for the reader.
                let written: Void? = try? writer.write { try writer.insert(1) }
                return [
                    before, try reader.integers("SELECT value FROM item"),
                    written == nil ? [] : [1],
                ]
            }
            #expect(seen == [[], [], []])
            try writer.write { try writer.insert(2) }
            #expect(try reader.read { try reader.integers("SELECT value FROM item") } == [2])
        }
    }

    @Test func aReaderThatFailsLeavesNoTransaction() throws {
        let connection = try Connection.inMemory(itemTable)
        #expect(throws: Stop.self) { try connection.read { throw Stop() } }
        try connection.write { try connection.insert(1) }
    }

    @Test func changesAndTheLastRowAreThoseOfTheLastStatement() throws {
        let connection = try Connection.inMemory(
            "\(itemTable); INSERT INTO item VALUES (10), (20)"
        )
        try connection.execute("UPDATE item SET value = value + 1")
        #expect(connection.changes == 2)
        try connection.execute("UPDATE item SET value = 0 WHERE value = 99")
        #expect(connection.changes == 0)
        try connection.insert(5)
        #expect(connection.lastInsertedRow == 3)
    }
}
