internal import VaultSQLite

extension VaultFile {
    /// Runs writes that take something out of the file for good.
    ///
    /// The journal is truncated at each commit: a kept one would hold the old bytes.
    func erasing<Result>(_ body: () throws -> Result) throws -> Result {
        try connection.execute("PRAGMA journal_size_limit = 0")
        defer { try? connection.execute("PRAGMA journal_size_limit = -1") }
        return try body()
    }
}
