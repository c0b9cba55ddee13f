package import FoundationEssentials
internal import VaultSQLite

extension VaultFile {
    /// When the grants of accounts come to their end, where that is known, by the names in the rows:
    /// of one account, or of all.
    ///
    /// A clear column: for showing, and to decide on nothing.
    package func grantEnds(of name: AccountName? = nil) throws -> [String: Date] {
        var select = try connection.prepare(
            "SELECT name, grant_ends_at FROM account WHERE grant_ends_at IS NOT NULL"
                + (name == nil ? "" : " AND name = ?1")
        )
        if let name { select.bind(name.text, at: 1) }
        var ends: [String: Date] = [:]
        while try select.step() {
            ends[select.text(at: 0)] = Date(unixSeconds: select.integer(at: 1))
        }
        return ends
    }
}
