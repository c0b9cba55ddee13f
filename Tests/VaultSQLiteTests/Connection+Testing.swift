import VaultSQLite

extension Connection {
    /// A database that goes with its connection.
    static func inMemory(_ script: String = "") throws -> Connection {
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.executeScript(script)
        return connection
    }

    /// The first column of every row.
    func integers(_ sql: String) throws(SQLiteError) -> [Int64] {
        var select = try prepare(sql)
        var values: [Int64] = []
        while try select.step() { values.append(select.integer(at: 0)) }
        return values
    }

    /// Inserts one number without a transaction of its own.
    func insert(_ value: Int64) throws(SQLiteError) {
        var insert = try prepare("INSERT INTO item (value) VALUES (?1)")
        insert.bind(value, at: 1)
        try insert.run()
    }
}

/// The table that most tests write to.
let itemTable = "CREATE TABLE item (value INTEGER NOT NULL UNIQUE) STRICT"
