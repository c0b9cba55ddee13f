import Testing
import VaultSQLite

@Suite struct CopyTests {
    @Test func theOtherDatabaseBecomesTheSame() async throws {
        try await withTemporaryDatabase { path in
            let source = try Connection(path: path, mode: .create)
            try source.executeScript("\(itemTable); PRAGMA user_version = 7")
            try source.write { for value in 1...2000 { try source.insert(Int64(value)) } }
            let other = try Connection(path: path + "-copy", mode: .create)
            try other.executeScript("CREATE TABLE old (a); INSERT INTO old VALUES (1)")
            let watcher = try Connection(path: path + "-copy", mode: .readWrite)
            #expect(try watcher.integers("SELECT a FROM old") == [1])
            try source.copy(to: other)
            for copy in [other, watcher] {
                #expect(try copy.integers("SELECT value FROM item") == Array(1...2000))
                #expect(try copy.integerPragma("user_version") == 7)
                #expect(throws: SQLiteError.self) { try copy.integers("SELECT a FROM old") }
            }
        }
    }

    @Test func aTransactionThatIsOpenElsewhereIsNotCopied() async throws {
        try await withTemporaryDatabase { path in
            let writer = try Connection(path: path, mode: .create)
            try writer.executeScript(itemTable)
            try writer.write {
                try writer.insert(1)
                let source = try Connection(path: path, mode: .readWrite, busyLimit: 0)
                let other = try Connection(path: path + "-copy", mode: .create)
                try source.copy(to: other)
                #expect(try other.integers("SELECT value FROM item").isEmpty)
            }
        }
    }

    @Test func whoIsWaitedForInVainIsAnError() async throws {
        try await withTemporaryDatabase { path in
            let source = try Connection.inMemory(itemTable)
            let holder = try Connection(path: path, mode: .create)
            try holder.executeScript("CREATE TABLE old (a)")
            let other = try Connection(path: path, mode: .readWrite, busyLimit: 0)
            try holder.write {
                let error = try #require(throws: SQLiteError.self) { try source.copy(to: other) }
                #expect(error.code.primary == .busy)
            }
            #expect(try holder.integers("SELECT a FROM old").isEmpty)
        }
    }
}
