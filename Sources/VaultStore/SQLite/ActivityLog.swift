internal import FoundationEssentials
internal import Platform
internal import VaultCrypto
internal import VaultSQLite

/// Writes down what is done, within the transaction that does it.
///
/// No row has a token, a secret, or a word of a server: who, what, to which account, and `ok` or a
/// code of the vault's own.
struct ActivityLog {
    let connection: Connection
    let keyring: Keyring
    var isOff = false

    /// The log is damaged, which `verify` finds and which is no reason to lose a token.
    ///
    /// SQLite (3.40) commits nothing that came across damage, so what is to be done is done once
    /// more, without it.
    struct Damage: Error {}

    /// Names of one action that get a row each; of more, one row tells for all.
    static let namesToldApart = 100

    func add(
        _ action: ActivityAction,
        _ account: String? = nil,
        result: String = "ok",
        isRoutine: Bool = false,
        at date: Date? = nil
    ) throws {
        guard !isOff else { return }
        do {
            let row = ActivityFacts(
                number: try nextNumber(),
                at: (date ?? WallClock.now()).unixSeconds,
                actor: ActivityActor.current,
                action: action.rawValue,
                account: account,
                result: result,
                isRoutine: isRoutine
            )
            try insert(row)
            if row.number.isMultiple(of: Self.rowsBetweenPruning) { try prune(at: row.at) }
        } catch let error as SQLiteError where error.isDamage {
            throw Damage()
        }
    }

    /// The same for each of some accounts.
    func add(_ action: ActivityAction, each accounts: [AccountName], at date: Date?) throws {
        guard accounts.count <= Self.namesToldApart else { return try add(action, at: date) }
        for account in accounts { try add(action, account.text, at: date) }
    }

    /// A refresh that brought a pair.
    func add(refreshOf before: (state: String, name: String)?, at date: Date) throws {
        try add(.refreshed, before?.name, isRoutine: true, at: date)
        guard before?.state == AccountState.verifyBeforeUse.rawValue else { return }
        try add(.grantVerified, before?.name, at: date)
    }

    /// A refresh that brought none, unless it learned nothing of the account.
    func add(_ end: Abandonment, of account: StoredAccount, at date: Date) throws {
        if end.signInNeeded != nil, account.tokens.signInNeeded == nil {
            let code = AccountState.signInNeeded.rawValue
            return try add(.grantRefused, account.name.text, result: code, at: date)
        }
        guard !end.keepsHealth || end.swapsSecret else { return }
        let code =
            end.swapsSecret
            ? ClientState.Breaker.Reason.clientRefused.rawValue : end.health.failures?.last
        guard let code else { return }
        try add(.refreshFailed, account.name.text, result: code, isRoutine: true, at: date)
    }

    private func nextNumber() throws -> Int64 {
        // Those that somebody made up leave a number to come all the same.
        var select = try connection.prepare(
            """
            SELECT number + 1 FROM activity AS row WHERE number >= 0 AND number < ?1 - 1 \
            AND NOT EXISTS (SELECT 1 FROM activity WHERE number = row.number + 1) \
            ORDER BY number DESC LIMIT 1
            """
        )
        select.bind(Activity.numberLimit, at: 1)
        return try select.step() ? select.integer(at: 0) : 1
    }

    private func insert(_ row: ActivityFacts) throws {
        var insert = try connection.prepare(
            """
            INSERT INTO activity (number, at, actor, action, account, result, routine, \
            hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """
        )
        insert.bind(row.number, at: 1)
        insert.bind(row.at, at: 2)
        insert.bind(row.actor, at: 3)
        insert.bind(row.action, at: 4)
        insert.bind(row.account, at: 5)
        insert.bind(row.result, at: 6)
        insert.bind(row.isRoutine ? 1 : 0, at: 7)
        insert.bind(keyring.activityHash(of: row), at: 8)
        try insert.run()
    }

    // MARK: - Keeping it short

    private static let rowsBetweenPruning: Int64 = 256
    /// Rows that one transaction forgets at most for each reason: more than come to be between two.
    private static let rowsForgotten: Int64 = 512
    private static let daysKept: Int64 = 90
    private static let routineRowsKept: Int64 = 10_000
    private static let rowsKept: Int64 = 50_000

    /// Forgets some of what is too old or too much, the oldest first: nobody waits for all of it.
    private func prune(at now: Int64) throws {
        // Times have no index, and the oldest rows are the first.
        try forget(
            """
            SELECT number FROM (SELECT number, at FROM activity ORDER BY number LIMIT ?1) \
            WHERE at < ?2
            """,
            Self.rowsForgotten,
            now - Self.daysKept * 86_400
        )
        try forget(
            "SELECT number FROM activity WHERE routine = 1 ORDER BY number LIMIT ?1",
            excess("SELECT count(*) FROM activity WHERE routine = 1", Self.routineRowsKept)
        )
        try forget(
            "SELECT number FROM activity ORDER BY number LIMIT ?1",
            excess("SELECT count(*) FROM activity", Self.rowsKept)
        )
    }

    private func excess(_ count: String, _ kept: Int64) throws -> Int64 {
        var select = try connection.prepare(count)
        let rows = try select.step() ? select.integer(at: 0) : 0
        return min(max(rows - kept, 0), Self.rowsForgotten)
    }

    private func forget(_ rows: String, _ limit: Int64, _ date: Int64? = nil) throws {
        guard limit > 0 else { return }
        var delete = try connection.prepare("DELETE FROM activity WHERE number IN (\(rows))")
        delete.bind(limit, at: 1)
        if let date { delete.bind(date, at: 2) }
        try delete.run()
    }

    // MARK: - New keys

    /// Has the rows that one keyring vouches for vouched for by another; the others stay as they are
    /// and go on being nobody's word.
    func reseal(from old: Keyring) throws {
        var last: Int64?
        repeat {
            let rows = try connection.activity(after: last, limit: Resealing.batch)
            last = rows.last?.facts.number
            for row in rows where old.activity(row.hash, vouchesFor: row.facts) {
                var update = try connection.prepare(
                    "UPDATE activity SET hash = ?2 WHERE number = ?1"
                )
                update.bind(row.facts.number, at: 1)
                update.bind(keyring.activityHash(of: row.facts), at: 2)
                try update.run()
            }
        } while last != nil
    }
}

/// A row as it stands.
struct ActivityRow {
    let facts: ActivityFacts
    let hash: [UInt8]

    func entry(_ keyring: Keyring?) -> Activity {
        Activity(
            number: facts.number,
            at: Date(unixSeconds: facts.at),
            actor: facts.actor,
            action: facts.action,
            account: facts.account,
            result: facts.result,
            isRoutine: facts.isRoutine,
            isGenuine: keyring?.activity(hash, vouchesFor: facts)
        )
    }
}

extension Connection {
    private static let activityColumns =
        "number, at, actor, action, account, result, routine, hash"

    /// Rows after a number, the oldest first, or from the beginning.
    ///
    /// A damaged page may give rows that were not asked for, and the same ones for ever.
    func activity(after number: Int64?, limit: Int) throws -> [ActivityRow] {
        var select = try prepare(
            """
            SELECT \(Self.activityColumns) FROM activity WHERE number >= ?1 \
            ORDER BY number LIMIT ?2
            """
        )
        guard number != .max else { return [] }
        select.bind(number.map { $0 + 1 } ?? .min, at: 1)
        select.bind(Int64(limit), at: 2)
        return try rows(of: &select).filter { row in number.map { row.facts.number > $0 } ?? true }
    }

    /// The newest rows, the oldest of them first: of an account, and since a time.
    func newestActivity(of account: String?, since: Int64?, limit: Int) throws -> [ActivityRow] {
        var select = try prepare(
            """
            SELECT \(Self.activityColumns) FROM activity \
            WHERE (?1 IS NULL OR account = ?1) AND (?2 IS NULL OR at >= ?2) \
            ORDER BY number DESC LIMIT ?3
            """
        )
        select.bind(account, at: 1)
        select.bind(since, at: 2)
        select.bind(Int64(limit), at: 3)
        return try rows(of: &select).reversed()
    }

    private func rows(of select: inout Statement) throws -> [ActivityRow] {
        var rows: [ActivityRow] = []
        while try select.step() {
            rows.append(
                ActivityRow(
                    facts: ActivityFacts(
                        number: select.integer(at: 0),
                        at: select.integer(at: 1),
                        actor: select.text(at: 2),
                        action: select.text(at: 3),
                        account: select.optionalText(at: 4),
                        result: select.text(at: 5),
                        isRoutine: select.integer(at: 6) != 0
                    ),
                    hash: select.blob(at: 7)
                )
            )
        }
        return rows
    }
}
