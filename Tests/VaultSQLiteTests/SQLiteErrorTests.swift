import Platform
import Testing
import VaultSQLite

@Suite struct SQLiteErrorTests {
    private static let table = """
        CREATE TABLE thing (
            name TEXT NOT NULL UNIQUE CONSTRAINT short CHECK (length(name) < 20),
            number INTEGER
        ) STRICT
        """

    /// A statement that fails on its value, and the value.
    struct Row: Sendable, CustomTestStringConvertible {
        let sql: String
        let value: String
        var testDescription: String { sql }
    }

    @Test(arguments: [
        Row(sql: "INSERT INTO thing (name) VALUES (?1)", value: "canary"),
        Row(sql: "INSERT INTO thing (name) VALUES (?1)", value: "canary-canary-canary"),
        Row(sql: "INSERT INTO thing (name, number) VALUES ('x', ?1)", value: "canary"),
        Row(sql: "SELECT json(?1)", value: "canary"),
        Row(sql: "SELECT 1 WHERE 'x' LIKE 'y' ESCAPE ?1", value: "canary"),
    ])
    func noErrorCarriesABoundValue(_ row: Row) throws {
        let connection = try Connection.inMemory(
            "\(Self.table); INSERT INTO thing (name) VALUES ('canary')"
        )
        let error = try #require(throws: SQLiteError.self) {
            var statement = try connection.prepare(row.sql)
            statement.bind(row.value, at: 1)
            try statement.run()
        }
        #expect(error.sql == row.sql)
        for text in [error.description, error.message, "\(error)", String(reflecting: error)] {
            #expect(!text.contains("canary"))
        }
    }

    @Test func codesAreExtendedOnes() throws {
        let connection = try Connection.inMemory(itemTable)
        try connection.insert(1)
        let error = try #require(throws: SQLiteError.self) { try connection.insert(1) }
        // SQLITE_CONSTRAINT_UNIQUE
        #expect(error.code.rawValue == 2067)
        #expect(error.code.primary == .constraint)
    }

    @Test(arguments: [("missing/test.db", ResultCode.cannotOpen), ("", .cannotOpen)])
    func aDatabaseThatIsNotThereIsNotMade(name: String, code: ResultCode) async throws {
        try await withTemporaryDatabase { path in
            let path = name.isEmpty ? path : path + name
            let error = try #require(throws: SQLiteError.self) {
                try Connection(path: path, mode: .readWrite).execute("SELECT 1 FROM sqlite_schema")
            }
            #expect(error.code.primary == code)
            #expect(error.message == "unable to open database file")
        }
    }

    @Test(
        arguments: [
            (13, 0, true), (10, 28, true), (778, 122, true), (14, 28, true), (10, 5, false),
            (778, 27, false), (14, 24, false), (11, 0, false),
        ] as [(Int32, Int32, Bool)]
    )
    func aFullDiskHasMoreNamesThanOne(_ code: Int32, _ number: Int32, _ isFull: Bool) {
        let error = SQLiteError(
            code: ResultCode(rawValue: code),
            message: "",
            sql: nil,
            systemError: SystemError(number: number)
        )
        #expect(error.isFullDisk == isFull)
    }

    @Test func theSystemsErrorIsThatOfTheCall() async throws {
        try await withTemporaryDatabase { path in
            let missing = path + "/nowhere"
            let connection = try Connection.inMemory()
            let attach = try #require(throws: SQLiteError.self) {
                try connection.executeScript("ATTACH '\(missing)' AS other")
            }
            #expect(attach.code.primary == .cannotOpen)
            let syntax = try #require(throws: SQLiteError.self) {
                try connection.execute("SELECT nothing")
            }
            // Not that of the call before it.
            #expect(syntax.systemError.number == 0)
        }
    }
}
