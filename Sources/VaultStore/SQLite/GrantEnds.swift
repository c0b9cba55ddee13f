package import FoundationEssentials
internal import VaultCrypto
internal import VaultSQLite

/// Ends of grants that a person is told of in advance, each once.
///
/// The column is a hint by which the accounts are found; what is told comes from their seals.
extension VaultFile {
    static let selectGrantEnds = """
        SELECT grant_ends_at, number, name FROM account \
        WHERE grant_ends_at IS NOT NULL AND grant_end_told = 0 AND grant_ends_at <= ?1 \
        AND (grant_ends_at, number) > (?2, ?3) ORDER BY grant_ends_at, number LIMIT ?4
        """

    /// Accounts whose grant ends by then, the earliest first, after some place in this order.
    package func grantEnds(
        after place: GrantEndPlace,
        before date: Date,
        limit: Int
    ) throws -> [GrantEndPlace] {
        var select = try connection.prepare(Self.selectGrantEnds)
        select.bind(date.unixSeconds, at: 1)
        select.bind(place.date.unixSeconds, at: 2)
        select.bind(place.number, at: 3)
        select.bind(Int64(limit), at: 4)
        var places: [GrantEndPlace] = []
        while try select.step() {
            places.append(
                GrantEndPlace(
                    date: Date(unixSeconds: select.integer(at: 0)),
                    number: select.integer(at: 1),
                    name: select.text(at: 2)
                )
            )
        }
        return places
    }

    /// Writes down that the ends of these accounts' grants are told.
    ///
    /// - Returns: Those that were not before, and are as they were read.
    package func tellGrantEnds(
        of accounts: [StoredAccount],
        at now: Date
    ) throws -> [StoredAccount] {
        try write {
            let log = log(try currentKeyring())
            return try accounts.filter { account in
                var update = try connection.prepare(
                    """
                    UPDATE account SET grant_end_told = 1 \
                    WHERE account_id = ?1 AND generation = ?2 AND grant_end_told = 0
                    """
                )
                update.bind(account.id.bytes, at: 1)
                update.bind(Int64(account.generation), at: 2)
                try update.run()
                guard connection.changes == 1 else { return false }
                try log.add(.grantEnding, account.name.text, at: now)
                return true
            }
        }
    }

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

/// Where an account stands among those whose grants end.
package struct GrantEndPlace: Sendable, Hashable {
    package var date: Date
    package var number: Int64
    package var name: String

    package init(date: Date, number: Int64, name: String) {
        self.date = date
        self.number = number
        self.name = name
    }

    /// Before all.
    package static let start = GrantEndPlace(date: .distantPast, number: 0, name: "")
}

extension GrantEnd {
    /// Seconds by which an end has to move for it to be another one.
    static let leastMove: Int64 = 86_400

    /// The time in the column; nil for an end that nobody is told of.
    var toldOf: Int64? { notice == nil ? nil : date.unixSeconds }
}
