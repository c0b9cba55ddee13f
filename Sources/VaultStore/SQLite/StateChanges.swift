package import FoundationEssentials
internal import VaultSQLite

/// A change of an account's state, told to every process once.
package struct StateChange: Sendable, Hashable {
    /// Counts the vault's changes.
    package var number: Int64
    package var name: AccountName
    package var state: AccountState
    package var since: Date?
}

/// What states accounts are in, and when they came to be.
extension VaultFile {
    /// The number of the last change of any account's state.
    package func stateChangeCount() throws -> Int64 {
        var select = try connection.prepare("SELECT state_changes FROM vault WHERE id = 1")
        return try select.step() ? select.integer(at: 0) : 0
    }

    /// The changes after some number, in their order.
    ///
    /// Of an account that changed more than once, the last. A number above the vault's count is no
    /// vault's doing.
    package func stateChanges(after number: Int64, limit: Int) throws -> [StateChange] {
        var select = try connection.prepare(
            """
            SELECT state_change, name, state, state_since FROM account \
            WHERE state_change > ?1 \
            AND state_change <= (SELECT state_changes FROM vault WHERE id = 1) \
            ORDER BY state_change LIMIT ?2
            """
        )
        select.bind(number, at: 1)
        select.bind(Int64(limit), at: 2)
        var changes: [StateChange] = []
        while try select.step() {
            guard let name = AccountName(select.text(at: 1)),
                let state = AccountState(rawValue: select.text(at: 2))
            else { continue }
            changes.append(
                StateChange(
                    number: select.integer(at: 0),
                    name: name,
                    state: state,
                    since: select.optionalInteger(at: 3).map { Date(unixSeconds: $0) }
                )
            )
        }
        return changes
    }

    /// Numbers the changes to come after those of another life of the vault, of which others know.
    func keepStateChangesUnused(upTo number: Int64) throws {
        var update = try connection.prepare(
            "UPDATE vault SET state_changes = max(state_changes, ?1) WHERE id = 1"
        )
        update.bind(number, at: 1)
        try update.run()
    }

    /// Writes down the state of an account, and since when if it is another one.
    func setState(_ state: AccountState, of account: [UInt8], at date: Date?) throws {
        var select = try connection.prepare("SELECT state FROM account WHERE account_id = ?1")
        select.bind(account, at: 1)
        guard try select.step(), select.text(at: 0) != state.rawValue else { return }
        try connection.execute("UPDATE vault SET state_changes = state_changes + 1 WHERE id = 1")
        var update = try connection.prepare(
            """
            UPDATE account SET state = ?2, state_since = ?3, \
            state_change = (SELECT state_changes FROM vault WHERE id = 1) WHERE account_id = ?1
            """
        )
        update.bind(account, at: 1)
        update.bind(state.rawValue, at: 2)
        update.bind(date?.unixSeconds, at: 3)
        try update.run()
    }
}
