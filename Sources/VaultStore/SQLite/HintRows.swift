package import FoundationEssentials
internal import VaultSQLite

/// Reading what rows say without being opened: the order of the names, and of what is due.
extension VaultFile {
    private static let columns = "number, name, state, expires_at, due_at, client_hash"

    /// What a page of rows says without being opened.
    ///
    /// Due of an account without a refresh token is its end, and no refresh: that is left out.
    package func hints(after name: String?, limit: Int) throws -> [AccountHint] {
        var select = try connection.prepare(
            """
            SELECT number, name, state, expires_at, \
            CASE WHEN refresh_token_hash IS NOT NULL THEN due_at END, client_hash FROM account \
            WHERE name > ?1 ORDER BY name LIMIT ?2
            """
        )
        select.bind(name ?? "", at: 1)
        select.bind(Int64(limit), at: 2)
        return try Self.hints(&select)
    }

    // MARK: - What is due

    static let selectDue = """
        SELECT \(columns) FROM account \
        WHERE due_at IS NOT NULL AND due_at <= ?1 ORDER BY due_at LIMIT ?2
        """

    /// Accounts whose refresh is due by then, or their end, earliest first.
    package func due(before date: Date, limit: Int) throws -> [AccountHint] {
        var select = try connection.prepare(Self.selectDue)
        select.bind(date.unixSeconds, at: 1)
        select.bind(Int64(limit), at: 2)
        return try Self.hints(&select)
    }

    static let selectDueAfter = """
        SELECT \(columns) FROM account WHERE due_at IS NOT NULL AND due_at <= ?1 \
        AND (due_at, number) > (?3, ?4) ORDER BY due_at, number LIMIT ?2
        """

    /// The same of those alone that come after an account in this order, or after a time.
    package func due(
        after last: (due: Date, number: Int64),
        before date: Date,
        limit: Int
    ) throws -> [AccountHint] {
        var select = try connection.prepare(Self.selectDueAfter)
        select.bind(date.unixSeconds, at: 1)
        select.bind(Int64(limit), at: 2)
        select.bind(last.due.unixSeconds, at: 3)
        select.bind(last.number, at: 4)
        return try Self.hints(&select)
    }

    static let selectDueAfterLoss = """
        SELECT \(columns) FROM account WHERE state = 'outcome_unknown' \
        AND due_at IS NOT NULL AND due_at <= ?1 ORDER BY due_at LIMIT ?2
        """

    /// The same of those alone whose last answer was lost: they are in a hurry.
    package func dueAfterLoss(before date: Date, limit: Int) throws -> [AccountHint] {
        var select = try connection.prepare(Self.selectDueAfterLoss)
        select.bind(date.unixSeconds, at: 1)
        select.bind(Int64(limit), at: 2)
        return try Self.hints(&select)
    }

    static let selectDueOfClient = """
        SELECT \(columns) FROM account WHERE client_hash = ?3 \
        AND due_at IS NOT NULL AND due_at <= ?1 ORDER BY due_at LIMIT ?2
        """

    /// The same of one client's accounts.
    package func due(of client: [UInt8], before date: Date, limit: Int) throws -> [AccountHint] {
        var select = try connection.prepare(Self.selectDueOfClient)
        select.bind(date.unixSeconds, at: 1)
        select.bind(Int64(limit), at: 2)
        select.bind(client, at: 3)
        return try Self.hints(&select)
    }

    static let selectNextClient = """
        SELECT client_hash FROM account \
        WHERE client_hash > ?1 AND due_at IS NOT NULL ORDER BY client_hash LIMIT 1
        """

    /// The next clients in the order of their hashes, of which anything is to come at all.
    ///
    /// One look into the index for each, however many accounts it has.
    package func clients(after client: [UInt8], limit: Int) throws -> [[UInt8]] {
        var clients: [[UInt8]] = []
        var last = client
        while clients.count < limit {
            var select = try connection.prepare(Self.selectNextClient)
            select.bind(last, at: 1)
            guard try select.step() else { break }
            last = select.blob(at: 0)
            clients.append(last)
        }
        return clients
    }

    /// When the next refresh is due; nil when none is.
    package func nextDue() throws -> Date? {
        var select = try connection.prepare(
            """
            SELECT due_at FROM account \
            WHERE due_at IS NOT NULL AND refresh_token_hash IS NOT NULL ORDER BY due_at LIMIT 1
            """
        )
        return try select.step() ? Date(unixSeconds: select.integer(at: 0)) : nil
    }

    private static func hints(_ rows: inout Statement) throws -> [AccountHint] {
        var hints: [AccountHint] = []
        while try rows.step() {
            hints.append(
                AccountHint(
                    number: rows.integer(at: 0),
                    name: rows.text(at: 1),
                    state: AccountState(rawValue: rows.text(at: 2)) ?? .verifyBeforeUse,
                    expiry: rows.optionalInteger(at: 3).map { Date(unixSeconds: $0) },
                    due: rows.optionalInteger(at: 4).map { Date(unixSeconds: $0) },
                    client: rows.optionalBlob(at: 5)
                )
            )
        }
        return hints
    }
}
