import VaultSQLite

@testable import VaultStore

/// Somebody with a database tool and no key: no check of the schema holds them back.
struct Editor {
    let connection: Connection

    init(_ vault: TemporaryVault) throws {
        connection = try Connection(path: vault.database, mode: .readWrite)
        try connection.executeScript(
            """
            PRAGMA ignore_check_constraints = ON;
            PRAGMA writable_schema = ON;
            PRAGMA synchronous = OFF
            """
        )
    }

    func run(_ script: String) throws {
        try connection.executeScript(script)
    }

    /// The blob that a query gives.
    func blob(_ sql: String) throws -> [UInt8] {
        var select = try connection.prepare(sql)
        return try select.step() ? select.blob(at: 0) : []
    }

    func integer(_ sql: String) throws -> Int64 {
        var select = try connection.prepare(sql)
        return try select.step() ? select.integer(at: 0) : 0
    }

    /// Runs SQL with a blob for its one parameter.
    func run(_ sql: String, with blob: [UInt8]) throws {
        var statement = try connection.prepare(sql)
        statement.bind(blob, at: 1)
        try statement.run()
    }

    func box(_ column: String, of name: String) throws -> [UInt8] {
        try blob("SELECT \(column) FROM account WHERE name = '\(name)'")
    }

    func setBox(_ column: String, of name: String, to box: [UInt8]) throws {
        try run("UPDATE account SET \(column) = ?1 WHERE name = '\(name)'", with: box)
    }
}

extension TemporaryVault {
    /// Three accounts, each with a claim on it: every box of an account row is there.
    func fill() throws -> [AccountName: StoredAccount] {
        let file = try open()
        var accounts: [AccountName: StoredAccount] = [:]
        for name in ["work", "home", "third"] as [AccountName] {
            let account = try file.insert(Fixture.fullAccount(name, grant: name.text))
            let intent = Fixture.intent([UInt8](repeating: 1, count: 32))
            _ = try file.claim(account, intent: intent)
            accounts[name] = try file.account(named: name)
        }
        return accounts
    }
}
