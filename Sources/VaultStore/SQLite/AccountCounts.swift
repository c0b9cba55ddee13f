package import VaultAccess
internal import VaultSQLite

/// How many accounts there are, as far as the file says without its keys.
extension VaultFile {
    /// In the words of the index `account_standing`: the accounts that are well are not gone through.
    private static let selectStates = """
        SELECT state, count(*) FROM account WHERE state <> 'active' GROUP BY state
        """

    /// The accounts in each state that any is in.
    ///
    /// Counting all takes about 30 ms where there are a million.
    package func accountCounts() throws -> [AccountState: Int] {
        try connection.read {
            var counts: [AccountState: Int] = [:]
            var states = try connection.prepare(Self.selectStates)
            var others: Int64 = 0
            while try states.step() {
                others += states.integer(at: 1)
                // What is not understood is for a person to look at.
                let state = AccountState(rawValue: states.text(at: 0)) ?? .verifyBeforeUse
                counts[state, default: 0] += Int(states.integer(at: 1))
            }
            var all = try connection.prepare("SELECT count(*) FROM account")
            if try all.step() { counts[.active] = Int(all.integer(at: 0) - others) }
            return counts
        }
    }
}
