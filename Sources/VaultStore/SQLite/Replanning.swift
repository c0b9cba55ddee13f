package import FoundationEssentials
package import Platform
internal import VaultCrypto
internal import VaultSQLite

/// Plans that a clock made wrong, and the clocks by which that is noticed.
extension VaultFile {
    /// Writes new due times, of accounts that are still as they were when the plan was made.
    ///
    /// - Returns: How many there were.
    @discardableResult
    package func replan(_ plans: [NewPlan]) throws -> Int {
        try write {
            try plans.reduce(0) { try $0 + replan($1) }
        }
    }

    private func replan(_ plan: NewPlan) throws -> Int {
        var update = try connection.prepare(
            """
            UPDATE account SET due_at = ?3 \
            WHERE account_id = ?1 AND generation = ?2 AND due_at = ?4
            """
        )
        update.bind(plan.account.id.bytes, at: 1)
        update.bind(Int64(plan.account.generation), at: 2)
        update.bind(plan.due?.unixSecondsNotEarlier, at: 3)
        update.bind(plan.account.health.due?.unixSeconds, at: 4)
        try update.run()
        return connection.changes
    }

    static let selectUnnamed = """
        SELECT account_id FROM account \
        WHERE client_hash IS NULL AND due_at IS NOT NULL LIMIT ?1
        """

    /// Writes down which client accounts belong to that an older program stored.
    ///
    /// - Returns: Whether there may be more of them.
    package func nameClients(limit: Int) throws -> Bool {
        var select = try connection.prepare(Self.selectUnnamed)
        select.bind(Int64(limit), at: 1)
        var ids: [[UInt8]] = []
        while try select.step() { ids.append(select.blob(at: 0)) }
        guard !ids.isEmpty else { return false }
        let named = try write { try ids.filter(nameClient) }
        // One that does not open keeps its place, and would be found for ever.
        return ids.count == limit && !named.isEmpty
    }

    private func nameClient(of id: [UInt8]) throws -> Bool {
        guard let id = AccountID(id), let account = try? account(id) else { return false }
        var update = try connection.prepare(
            "UPDATE account SET client_hash = ?2 WHERE account_id = ?1 AND client_hash IS NULL"
        )
        update.bind(id.bytes, at: 1)
        update.bind(ClientHashes(account.settings, try keyring()).client, at: 2)
        try update.run()
        return true
    }

    // MARK: - The clocks

    /// The clocks as a scheduler saw them last; nil when none did.
    package func lastSeenClock() throws -> Moment? {
        var select = try connection.prepare(
            "SELECT clock_wall, clock_boot, clock_uptime FROM vault WHERE id = 1"
        )
        guard try select.step(), let boot = select.optionalText(at: 1) else { return nil }
        return Moment(
            wall: Date(timeIntervalSince1970: Double(select.integer(at: 0)) / 1000),
            bootID: boot,
            uptime: Double(select.integer(at: 2)) / 1000
        )
    }

    /// Writes down the clocks.
    package func note(clock: Moment) throws {
        try write {
            var update = try connection.prepare(
                """
                UPDATE vault SET clock_wall = ?1, clock_boot = ?2, clock_uptime = ?3 WHERE id = 1
                """
            )
            update.bind(Self.milliseconds(clock.wall.timeIntervalSince1970), at: 1)
            update.bind(clock.bootID, at: 2)
            update.bind(Self.milliseconds(clock.uptime), at: 3)
            try update.run()
        }
    }

    private static func milliseconds(_ seconds: Double) -> Int64 {
        Int64(exactly: (seconds * 1000).rounded()) ?? 0
    }
}

/// When an account's refresh is due, thought over.
package struct NewPlan: Sendable {
    /// As it was when the plan was made.
    package let account: StoredAccount
    /// Nil for none.
    package let due: Date?

    package init(account: StoredAccount, due: Date?) {
        self.account = account
        self.due = due
    }
}
