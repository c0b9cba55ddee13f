package import FoundationEssentials
internal import VaultSQLite

/// The last change of an account's state.
package struct StateChange: Sendable, Hashable {
    /// Where a change stands among those of all accounts.
    package struct Place: Sendable, Hashable {
        /// Counts the vault's changes; 0 of a state that nobody counted.
        package var number: Int64
        /// Of the account; it tells apart those whose change has no number.
        package var account: Int64

        package init(number: Int64, account: Int64) {
            self.number = number
            self.account = account
        }

        /// Before all.
        package static let start = Place(number: -1, account: 0)

        /// After the change with a number.
        package static func after(_ number: Int64) -> Place {
            Place(number: number, account: .max)
        }
    }

    package var number: Int64
    package var name: AccountName
    package var state: AccountState
    package var since: Date?
}

/// Some changes in their order, and the vault's count of the same moment.
package struct StateChangePage: Sendable {
    package var changes: [StateChange] = []
    /// Where the next page begins; nil when this is the last.
    package var rest: StateChange.Place?
    /// Changes of all accounts since the vault was made.
    package var total: Int64
}

/// What states accounts are in, and when they came to be.
extension VaultFile {
    /// The number of the last change of any account's state.
    package func stateChangeCount() throws -> Int64 {
        var select = try connection.prepare("SELECT state_changes FROM vault WHERE id = 1")
        return try select.step() ? select.integer(at: 0) : 0
    }

    package static let selectChanges = selectChanges(where: "TRUE")
    /// In the words of the index `account_standing`.
    package static let selectStanding = selectChanges(where: "state <> 'active'")

    private static func selectChanges(where condition: String) -> String {
        // One comparison of both would go through all accounts of the first number: very many have
        // none yet.
        let columns = "state_change, number, name, state, state_since"
        return """
            SELECT \(columns) FROM account \
            WHERE state_change = ?1 AND number > ?2 AND state_change <= ?3 AND \(condition) \
            UNION ALL SELECT \(columns) FROM account \
            WHERE state_change > ?1 AND state_change <= ?3 AND \(condition) \
            ORDER BY state_change, number LIMIT ?4
            """
    }

    /// The changes after some place up to some number, in their order: of each account the last.
    ///
    /// A number above the vault's count is no vault's doing. A state that no change led to is told
    /// unless it is `active`; `active` itself is left out altogether if so asked, and not even looked
    /// at. `limit` is how many accounts are looked at: nobody waits for the whole vault to be gone
    /// through.
    package func stateChanges(
        after place: StateChange.Place,
        upTo last: Int64,
        withActive: Bool,
        limit: Int
    ) throws -> StateChangePage {
        try connection.read {
            var page = StateChangePage(total: try stateChangeCount())
            var select = try connection.prepare(
                withActive ? Self.selectChanges : Self.selectStanding
            )
            select.bind(place.number, at: 1)
            select.bind(place.account, at: 2)
            select.bind(min(last, page.total), at: 3)
            select.bind(Int64(limit), at: 4)
            var count = 0
            while try select.step() {
                count += 1
                let number = select.integer(at: 0)
                if count == limit {
                    page.rest = StateChange.Place(number: number, account: select.integer(at: 1))
                }
                guard let name = AccountName(select.text(at: 2)),
                    let state = AccountState(rawValue: select.text(at: 3)),
                    state != .active || (withActive && number > 0)
                else { continue }
                page.changes.append(
                    StateChange(
                        number: number,
                        name: name,
                        state: state,
                        since: select.optionalInteger(at: 4).map { Date(unixSeconds: $0) }
                    )
                )
            }
            return page
        }
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
    ///
    /// - Returns: What the row said before, and its name.
    @discardableResult
    func setState(
        _ state: AccountState,
        of account: [UInt8],
        at date: Date?
    ) throws -> (state: String, name: String)? {
        var select = try connection.prepare(
            "SELECT state, name FROM account WHERE account_id = ?1"
        )
        select.bind(account, at: 1)
        guard try select.step() else { return nil }
        let before = (state: select.text(at: 0), name: select.text(at: 1))
        guard before.state != state.rawValue else { return before }
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
        return before
    }
}
