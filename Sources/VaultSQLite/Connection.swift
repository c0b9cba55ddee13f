internal import CSQLite
internal import Platform

/// One open database.
///
/// Used by one thread at a time; whoever owns it sees to that.
package final class Connection {
    private let handle: OpaquePointer
    private let busyHandler: BusyHandler
    // Prepared statements that nobody is using, by their text.
    private var idleStatements: [(sql: String, handle: OpaquePointer)] = []

    /// How a database is opened.
    package enum Mode: Sendable {
        case readWrite
        /// Makes the file when there is none.
        case create
    }

    /// Opens a database.
    ///
    /// Nothing of the file is read yet. Another process's lock is waited for `busyLimit` seconds.
    package init(
        path: String,
        mode: Mode,
        busyLimit: Double = 10
    ) throws(SQLiteError) {
        var flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        if mode == .create { flags |= SQLITE_OPEN_CREATE }
        var opened: OpaquePointer?
        let code = ResultCode(rawValue: sqlite3_open_v2(path, &opened, flags, nil))
        guard let opened, code == .ok else {
            // "Whether or not an error occurs when it is opened, resources associated with the
            // database connection handle should be released" (sqlite.org/c3ref/open.html).
            sqlite3_close_v2(opened)
            throw SQLiteError(code: code)
        }
        handle = opened
        busyHandler = BusyHandler(limit: busyLimit)
        busyHandler.install(on: handle)
    }

    deinit {
        #if MUTANT_ACKNOWLEDGE_BEFORE_COMMIT
        sqlite3_exec(handle, "COMMIT", nil, nil, nil)
        #endif
        for statement in idleStatements { sqlite3_finalize(statement.handle) }
        // close_v2 cannot fail: the handle outlives a statement that is still open.
        sqlite3_close_v2(handle)
    }

    // MARK: - Statements

    /// A statement ready to bind and step; the same text is compiled only once.
    package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        if let index = idleStatement(sql) {
            let idle = idleStatements.remove(at: index)
            return Statement(handle: idle.handle, sql: sql, connection: self)
        }
        var compiled: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        try check(sqlite3_prepare_v3(handle, sql, -1, flags, &compiled, nil), sql: sql)
        guard let compiled else { preconditionFailure("there is no statement in: \(sql)") }
        return Statement(handle: compiled, sql: sql, connection: self)
    }

    /// Runs a statement that has no parameters and no rows worth reading.
    package func execute(_ sql: String) throws(SQLiteError) {
        var statement = try prepare(sql)
        while try statement.step() {}
    }

    /// Runs several statements, as they stand in a migration.
    package func executeScript(_ sql: String) throws(SQLiteError) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil), sql: nil)
    }

    func giveBack(_ statement: OpaquePointer, sql: String) {
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
        // Two of one text were in use at a time; one is enough.
        if idleStatement(sql) != nil {
            sqlite3_finalize(statement)
        } else {
            idleStatements.append((sql: sql, handle: statement))
        }
    }

    /// Where a text's statement is; what was used last is at the end.
    private func idleStatement(_ sql: String) -> Int? {
        // There are a few dozen texts in all: looking through them is cheaper than hashing one, and
        // looking at the lengths first is cheaper than comparing them.
        let count = sql.utf8.count
        return idleStatements.lastIndex { $0.sql.utf8.count == count && $0.sql == sql }
    }

    func check(_ code: Int32, sql: String?) throws(SQLiteError) {
        guard code != SQLITE_OK else { return }
        throw error(code, sql: sql)
    }

    func error(_ code: Int32, sql: String?) -> SQLiteError {
        let code = ResultCode(rawValue: code)
        // With any other code it is that of an earlier error.
        let isOfSystem = [.inputOutput, .cannotOpen].contains(code.primary)
        return SQLiteError(
            code: code,
            message: String(cString: sqlite3_errmsg(handle)),
            sql: sql,
            systemError: SystemError(number: isOfSystem ? sqlite3_system_errno(handle) : 0)
        )
    }

    // MARK: - Transactions

    /// Runs `body` in a transaction that has the write lock from its first moment.
    ///
    /// An error of `body` rolls everything back.
    ///
    /// - Throws: `UnknownCommit` when the error is COMMIT's own: only a fresh connection shows
    ///   whether the transaction is there.
    package func write<Result>(_ body: () throws -> Result) throws -> Result {
        #if MUTANT_ACKNOWLEDGE_BEFORE_COMMIT
        if sqlite3_get_autocommit(handle) == 0 { try commit() }
        #endif
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            #if !MUTANT_ACKNOWLEDGE_BEFORE_COMMIT
            try commit()
            #endif
            return result
        } catch {
            if isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Runs `body` as a part of the open transaction: an error of it rolls back that part alone.
    package func nested<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("SAVEPOINT part")
        do {
            let result = try body()
            try execute("RELEASE part")
            return result
        } catch {
            // Some errors end the whole transaction (sqlite.org/lang_transaction.html).
            if isInTransaction { try execute("ROLLBACK TO part") }
            if isInTransaction { try execute("RELEASE part") }
            throw error
        }
    }

    private func commit() throws {
        do {
            try execute("COMMIT")
        } catch  where [.busy, .constraint].contains(error.code.primary) {
            // Both are found before the first byte is written.
            throw error
        } catch {
            throw UnknownCommit(cause: error)
        }
    }

    /// Runs `body` in one read transaction, or in the one that is open: everything it reads is of
    /// one moment.
    package func read<Result>(_ body: () throws -> Result) throws -> Result {
        guard !isInTransaction else { return try body() }
        try execute("BEGIN")
        defer { try? execute("COMMIT") }
        return try body()
    }

    /// Whether a transaction is open.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    // MARK: - Copying

    /// Makes another database the same as this one, in one transaction of its own
    /// (sqlite.org/backup.html).
    ///
    /// Everything copied is of one moment. What was in the other database is overwritten, and who
    /// has that open sees the new content at their next read.
    package func copy(to other: Connection) throws(SQLiteError) {
        guard let backup = sqlite3_backup_init(other.handle, "main", handle, "main") else {
            throw other.error(sqlite3_errcode(other.handle), sql: nil)
        }
        let code = sqlite3_backup_step(backup, -1)
        let finished = sqlite3_backup_finish(backup)
        // A step that came to its end says so with DONE, and finish then says OK; otherwise finish
        // repeats the error, but not that of a lock.
        guard code == SQLITE_DONE else { throw other.error(code, sql: nil) }
        try other.check(finished, sql: nil)
    }

    /// The rows changed by the last statement.
    package var changes: Int { Int(sqlite3_changes64(handle)) }
    /// The key of the row inserted last.
    package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Switches an option of the connection (sqlite.org/c3ref/c_dbconfig_defensive.html).
    package func configure(_ option: Option, _ on: Bool) throws(SQLiteError) {
        var now: Int32 = -1
        try check(
            vault_sqlite_db_config_flag(handle, option.code, on ? 1 : 0, &now),
            sql: nil
        )
        guard now == (on ? 1 : 0) else {
            throw SQLiteError(
                code: .error,
                message: "the connection did not take option \(option)",
                sql: nil
            )
        }
    }

    /// Options that keep a hostile schema from running anything.
    package enum Option: Sendable, CaseIterable {
        case defensive
        case trustedSchema
        case triggers
        case views
        case doubleQuotedStringsInDDL
        case doubleQuotedStringsInDML

        var code: Int32 {
            switch self {
            case .defensive: SQLITE_DBCONFIG_DEFENSIVE
            case .trustedSchema: SQLITE_DBCONFIG_TRUSTED_SCHEMA
            case .triggers: SQLITE_DBCONFIG_ENABLE_TRIGGER
            case .views: SQLITE_DBCONFIG_ENABLE_VIEW
            case .doubleQuotedStringsInDDL: SQLITE_DBCONFIG_DQS_DDL
            case .doubleQuotedStringsInDML: SQLITE_DBCONFIG_DQS_DML
            }
        }
    }
}

// One thread at a time is the owner's promise, which a copy in another task would break.
@available(*, unavailable)
extension Connection: Sendable {}
