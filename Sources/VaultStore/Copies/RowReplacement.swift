internal import VaultSQLite

/// Puts the rows of one vault in the place of another's, within that one's open transaction.
///
/// SQLite's backup API would copy pages, but its destination can neither be read nor be kept from
/// other writers by a transaction of ours, so what they commit until it begins would be in neither
/// file. ATTACH would do, but a transaction that begins with a file attached is one of both files.
struct RowReplacement {
    let source: Connection
    let target: Connection

    func run() throws {
        let tables = try Self.tables(of: source)
        guard try tables == Self.tables(of: target) else { throw StoreError.tampered(.schema) }
        for table in tables {
            try target.execute("DELETE FROM \"\(table)\"")
            try copyRows(of: table)
        }
    }

    /// Every table that the schema has, so that none can be forgotten.
    private static func tables(of connection: Connection) throws -> [String] {
        // Rows of `account` change the one of `sqlite_sequence`, which is therefore the last.
        var select = try connection.prepare(
            """
            SELECT name FROM sqlite_schema WHERE type = 'table' \
            ORDER BY name = 'sqlite_sequence', name
            """
        )
        var names: [String] = []
        while try select.step() { names.append(select.text(at: 0)) }
        return names
    }

    private func copyRows(of table: String) throws {
        var select = try source.prepare("SELECT * FROM \"\(table)\"")
        let places = (1...select.columnCount).map { "?\($0)" }.joined(separator: ", ")
        let sql = "INSERT INTO \"\(table)\" VALUES (\(places))"
        while try select.step() {
            var insert = try target.prepare(sql)
            try insert.bindRow(of: select)
            try insert.run()
        }
    }
}
