import VaultSQLite
import VaultStore

/// Another connection to the vault's file, which spoils it in ways that a disk or a hostile hand may.
struct Saboteur: ~Copyable {
    private let connection: Connection

    init(_ location: VaultLocation) throws {
        connection = try Connection(path: location.database, mode: .readWrite)
    }

    /// From now on no new pair can be stored; whatever else is written goes through.
    func breakInstalls() throws {
        try connection.execute("ALTER TABLE spent_token RENAME COLUMN spent_at TO broken")
    }

    /// Ends what `breakInstalls` began.
    func mendInstalls() throws {
        try connection.execute("ALTER TABLE spent_token RENAME COLUMN broken TO spent_at")
    }

    /// From now on no claim can be written.
    func breakClaims() throws {
        try connection.execute("ALTER TABLE account RENAME COLUMN intent_box TO intent_gone")
        // STRICT: a sealed record, which is a BLOB, does not go in.
        try connection.execute("ALTER TABLE account ADD COLUMN intent_box INTEGER")
    }

    /// Gives every account another number, as removing and importing it does.
    func renumber() throws {
        try connection.execute("UPDATE account SET number = number + 100")
    }

    /// Keeps everybody else from writing.
    func holdWrites() throws {
        try connection.execute("BEGIN IMMEDIATE")
    }

    /// Keeps everybody else from reading, too.
    func holdFile() throws {
        try connection.execute("BEGIN EXCLUSIVE")
    }

    /// Ends what `holdWrites` or `holdFile` began.
    func releaseWrites() throws {
        try connection.execute("ROLLBACK")
    }

    /// Writes a failure count that no vault would.
    func setFailureCount(_ count: Int64) throws {
        var update = try connection.prepare("UPDATE account SET failure_count = ?1")
        update.bind(count, at: 1)
        try update.run()
    }

    /// Numbers the last change of every account's state as no vault would.
    func setStateChange(_ number: Int64) throws {
        var update = try connection.prepare("UPDATE account SET state_change = ?1")
        update.bind(number, at: 1)
        try update.run()
    }

    /// From now on nobody can read what changed.
    func breakChanges() throws {
        try connection.execute("ALTER TABLE account RENAME COLUMN state_change TO broken")
    }

    /// Ends what `breakChanges` began.
    func mendChanges() throws {
        try connection.execute("ALTER TABLE account RENAME COLUMN broken TO state_change")
    }

    /// Has the vault count its changes anew, each account's being the only one.
    func restartChanges() throws {
        try connection.execute("UPDATE account SET state_change = number")
        try connection.execute("UPDATE vault SET state_changes = (SELECT max(number) FROM account)")
    }

    /// Makes so many accounts of one, whose records nobody can open.
    func multiply(by count: Int) throws {
        var insert = try connection.prepare(
            """
            INSERT INTO account (account_id, name, revision, account_box, generation, tokens_box, state) \
            WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?1) \
            SELECT randomblob(16), printf('a-%05d', i), revision, account_box, generation, tokens_box, \
            state FROM account, n
            """
        )
        insert.bind(Int64(count), at: 1)
        try insert.run()
    }

    /// Has every account come to a state, in the order of their numbers, as many processes would.
    func changeAll(to state: String) throws {
        try connection.execute("BEGIN IMMEDIATE")
        var update = try connection.prepare(
            "UPDATE account SET state = ?1, state_change = number + (SELECT state_changes FROM vault)"
        )
        update.bind(state, at: 1)
        try update.run()
        try connection.execute(
            "UPDATE vault SET state_changes = (SELECT max(state_change) FROM account)"
        )
        try connection.execute("COMMIT")
    }

    /// Plans the refresh of every account for a time of its own choice.
    func setDue(_ seconds: Int64) throws {
        var update = try connection.prepare("UPDATE account SET due_at = ?1")
        update.bind(seconds, at: 1)
        try update.run()
    }

    /// Has a refresh token spent, as when its account's row was put back since.
    func spend(_ hash: [UInt8]) throws {
        var insert = try connection.prepare(
            "INSERT INTO spent_token SELECT ?1, account_id, 0 FROM account"
        )
        insert.bind(hash, at: 1)
        try insert.run()
    }

    /// Overwrites the sealed tokens of an account.
    func spoilTokens(of name: AccountName) throws {
        var update = try connection.prepare(
            "UPDATE account SET tokens_box = zeroblob(512) WHERE name = ?1"
        )
        update.bind(name.text, at: 1)
        try update.run()
    }
}
