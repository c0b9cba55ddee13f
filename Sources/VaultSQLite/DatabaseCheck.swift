extension Connection {
    /// Whether every page is where it should be, every index says what its table says, and every
    /// reference leads somewhere (sqlite.org/pragma.html#pragma_integrity_check).
    package func isIntact() throws(SQLiteError) -> Bool {
        var check = try prepare("PRAGMA integrity_check(1)")
        guard try check.step(), check.text(at: 0) == "ok" else { return false }
        var references = try prepare("PRAGMA foreign_key_check")
        return try !references.step()
    }
}
