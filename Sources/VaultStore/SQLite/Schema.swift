internal import VaultCrypto
internal import VaultMigrations
internal import VaultSQLite

/// The schema this program works with, and the proof that a file has it and nothing else.
enum Schema {
    static let migrator = Migrator(
        MigrationCatalog.entries.map { entry in
            Migration(
                version: entry.version,
                name: entry.name,
                sql: entry.sql
            )
        },
        applicationID: MigrationCatalog.applicationID,
        checksum: { Digest.blake2b($0) }
    )

    /// Hash of the newest schema's text as SQLite stores it.
    ///
    /// A test computes it anew.
    static let digest = "7fab72a24e1533124d521f90c3df0669f6b752201f3aa4eb9d71fbddd3da32af"

    /// Refuses a file that is not a vault's, or one whose schema says more or less than it should.
    ///
    /// A trigger or view that somebody added would run inside our transactions.
    static func check(_ connection: Connection, path: String) throws {
        let version = try version(of: connection, path: path)
        guard version == MigrationCatalog.newestVersion, try digest(of: connection) == digest else {
            throw StoreError.tampered(.schema)
        }
    }

    /// The version of a file, after refusing one that is not a vault's or is newer than this
    /// program.
    @discardableResult
    static func version(of connection: Connection, path: String) throws -> Int64 {
        do {
            return try Migrator.version(
                of: connection,
                applicationID: MigrationCatalog.applicationID,
                newest: MigrationCatalog.newestVersion
            )
        } catch Migrator.Failure.newerSchema(let version) {
            throw StoreError.newerFormat(version: version)
        } catch Migrator.Failure.otherApplication {
            throw StoreError.damaged(path: path)
        }
    }

    static func digest(of connection: Connection) throws(SQLiteError) -> String {
        var text: [UInt8] = []
        var select = try connection.prepare(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
        )
        while try select.step() {
            for column in 0..<Int32(4) {
                text += select.blob(at: column)
                text.append(0)
            }
        }
        return Digest.blake2b(text).hexadecimal
    }
}
