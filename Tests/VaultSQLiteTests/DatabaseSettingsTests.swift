import Testing
import VaultSQLite

@Suite struct DatabaseSettingsTests {
    @Test(arguments: [
        ("journal_mode", "persist"),
        ("synchronous", "3"),
        ("secure_delete", "1"),
        ("foreign_keys", "1"),
        ("cell_size_check", "1"),
        ("temp_store", "2"),
        ("mmap_size", "0"),
        ("trusted_schema", "0"),
    ])
    func everyPragmaReadsBack(pragma: String, value: String) async throws {
        try await withTemporaryDatabase { path in
            let connection = try Connection(path: path, mode: .create)
            try DatabaseSettings.applyForReading(to: connection)
            try DatabaseSettings.applyForWriting(to: connection)
            #expect(try connection.pragma(pragma) == value)
        }
    }

    @Test func aSettingThatIsNotTakenIsAnError() throws {
        // A database in memory has its own journal and keeps it.
        let connection = try Connection.inMemory()
        let error = try #require(throws: SQLiteError.self) {
            try DatabaseSettings.applyForWriting(to: connection)
        }
        #expect(error.message == "journal_mode is memory, not persist")
    }

    @Test func aDatabaseThatSomebodyUsesWithALogIsRefused() async throws {
        try await withTemporaryDatabase { path in
            let other = try Connection(path: path, mode: .create)
            #expect(try other.pragma("journal_mode = WAL") == "wal")
            try other.executeScript(itemTable)
            let connection = try Connection(path: path, mode: .readWrite, busyLimit: 0.02)
            let error = try #require(throws: SQLiteError.self) {
                try DatabaseSettings.applyForWriting(to: connection)
            }
            #expect(error.code.primary == .busy)
            #expect(try other.pragma("journal_mode") == "wal")
        }
    }

    @Test func aDatabaseThatNobodyUsesIsTakenOutOfItsLog() async throws {
        try await withTemporaryDatabase { path in
            do {
                let other = try Connection(path: path, mode: .create)
                try other.executeScript("PRAGMA journal_mode = WAL; \(itemTable)")
                try other.insert(1)
            }
            let connection = try Connection(path: path, mode: .readWrite)
            try DatabaseSettings.applyForWriting(to: connection)
            #expect(try connection.pragma("journal_mode") == "persist")
            #expect(try connection.integers("SELECT value FROM item") == [1])
        }
    }
}
