internal import CSQLite

/// A compiled statement, given back to its connection when it goes.
///
/// A wrong index is a mistake in the program, so binding traps on one.
package struct Statement: ~Copyable {
    private let handle: OpaquePointer
    private let sql: String
    private let connection: Connection

    init(handle: OpaquePointer, sql: String, connection: Connection) {
        self.handle = handle
        self.sql = sql
        self.connection = connection
    }

    deinit {
        connection.giveBack(handle, sql: sql)
    }

    // MARK: - Binding (parameters count from 1)

    package mutating func bind(_ value: Int64?, at index: Int32) {
        guard let value else { return bindNull(at: index) }
        expect(sqlite3_bind_int64(handle, index, value))
    }

    package mutating func bind(_ value: String?, at index: Int32) {
        guard var value else { return bindNull(at: index) }
        // Without a copy that ends with a zero, as for a parameter that C reads as a string.
        value.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { text in
                guard let start = text.baseAddress else {
                    preconditionFailure("a text is somewhere")
                }
                expect(
                    sqlite3_bind_text(
                        handle,
                        index,
                        start,
                        Int32(text.count),
                        vault_sqlite_transient()
                    )
                )
            }
        }
    }

    package mutating func bind(_ value: [UInt8]?, at index: Int32) {
        guard let value else { return bindNull(at: index) }
        expect(
            sqlite3_bind_blob64(
                handle,
                index,
                value,
                UInt64(value.count),
                vault_sqlite_transient()
            )
        )
    }

    /// Binds each column of another statement's row, as it is, to the parameter of its place.
    package mutating func bindRow(of other: borrowing Statement) throws(SQLiteError) {
        for column in 0..<other.columnCount {
            let value = sqlite3_column_value(other.handle, column)
            try connection.check(sqlite3_bind_value(handle, column + 1, value), sql: sql)
        }
    }

    private func bindNull(at index: Int32) {
        expect(sqlite3_bind_null(handle, index))
    }

    private func expect(_ code: Int32) {
        precondition(
            code == SQLITE_OK,
            "binding failed with \(code) (a wrong index?) in: \(sql)"
        )
    }

    // MARK: - Running

    /// Moves to the next row; false when there is none.
    package mutating func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: true
        case SQLITE_DONE: false
        case let code: throw connection.error(code, sql: sql)
        }
    }

    /// Runs a statement that returns no row.
    package mutating func run() throws(SQLiteError) {
        while try step() {}
    }

    // MARK: - Columns (counted from 0)

    package var columnCount: Int32 { sqlite3_column_count(handle) }

    package func isNull(at column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    package func integer(at column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    package func optionalInteger(at column: Int32) -> Int64? {
        isNull(at: column) ? nil : integer(at: column)
    }

    package func text(at column: Int32) -> String {
        optionalText(at: column) ?? ""
    }

    package func optionalText(at column: Int32) -> String? {
        guard let text = sqlite3_column_text(handle, column) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    package func blob(at column: Int32) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(sqlite3_column_bytes(handle, column))
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    /// Lends a column's bytes, which stay as they are until the statement moves on.
    package func withBlob<Result, Failure: Error>(
        at column: Int32,
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = sqlite3_column_blob(handle, column)
        let count = bytes == nil ? 0 : Int(sqlite3_column_bytes(handle, column))
        let start = bytes?.assumingMemoryBound(to: UInt8.self)
        return try body(UnsafeBufferPointer(start: start, count: count).span)
    }

    package func optionalBlob(at column: Int32) -> [UInt8]? {
        isNull(at: column) ? nil : blob(at: column)
    }
}
