internal import VaultSQLite

extension VaultFile {
    /// Runs writes that take something out of the file for good: the journal keeps none of it.
    func erasing<Result>(_ body: () throws -> Result) throws -> Result {
        isErasing = true
        defer {
            isErasing = false
            try? connection.execute("PRAGMA journal_size_limit = -1")
        }
        return try body()
    }
}
