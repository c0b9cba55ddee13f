/// One step of a schema's history.
///
/// Never edited once it has been released.
package struct Migration: Sendable {
    /// Counts from 1.
    package let version: Int64
    /// As in the file's name, without number and extension.
    package let name: String
    package let sql: [UInt8]

    package init(version: Int64, name: String, sql: [UInt8]) {
        self.version = version
        self.name = name
        self.sql = sql
    }
}

/// Brings a database's schema up to the newest version.
package struct Migrator: Sendable {
    /// Why a database was not migrated.
    package enum Failure: Error, Equatable, Sendable {
        /// The database belongs to another program.
        case otherApplication(id: Int64)
        /// The schema is newer than this program.
        case newerSchema(version: Int64)
    }

    private let migrations: [Migration]
    private let applicationID: Int64
    /// Of a migration's SQL, for the ledger in the database.
    private let checksum: @Sendable ([UInt8]) -> [UInt8]

    package init(
        _ migrations: [Migration],
        applicationID: Int64,
        checksum: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) {
        self.migrations = migrations
        self.checksum = checksum
        self.applicationID = applicationID
    }

    /// The newest version this program knows.
    package var newestVersion: Int64 { migrations.last?.version ?? 0 }

    /// The version of a database, after checking that it is ours and not from the future.
    package func version(of connection: Connection) throws -> Int64 {
        try Self.version(of: connection, applicationID: applicationID, newest: newestVersion)
    }

    /// The same without the migrations themselves, which only a database that is behind needs.
    package static func version(
        of connection: Connection,
        applicationID: Int64,
        newest newestVersion: Int64
    ) throws -> Int64 {
        let application = try connection.integerPragma("application_id")
        guard application == applicationID else {
            throw Failure.otherApplication(id: application)
        }
        let version = try connection.integerPragma("user_version")
        guard version <= newestVersion else { throw Failure.newerSchema(version: version) }
        return version
    }

    /// Whether the ledger in a database says that these migrations, and no others, brought it to a
    /// version.
    package func ledgerIsRight(
        in connection: Connection,
        upTo version: Int64
    ) throws(SQLiteError) -> Bool {
        var select = try connection.prepare(
            "SELECT version, name, checksum FROM schema_migration ORDER BY version"
        )
        for migration in migrations where migration.version <= version {
            guard try select.step(), select.integer(at: 0) == migration.version,
                select.text(at: 1) == migration.name,
                select.blob(at: 2) == checksum(migration.sql)
            else { return false }
        }
        return try !select.step()
    }

    /// Runs what is missing, all in the caller's transaction.
    package func migrate(
        _ connection: Connection,
        from version: Int64,
        at unixTime: Int64
    ) throws(SQLiteError) {
        for migration in migrations where migration.version > version {
            try connection.executeScript(String(decoding: migration.sql, as: UTF8.self))
            var record = try connection.prepare(
                """
                INSERT INTO schema_migration (version, name, checksum, applied_at) \
                VALUES (?1, ?2, ?3, ?4)
                """
            )
            record.bind(migration.version, at: 1)
            record.bind(migration.name, at: 2)
            record.bind(checksum(migration.sql), at: 3)
            record.bind(unixTime, at: 4)
            try record.run()
        }
        // Both live in the database header and roll back with the transaction.
        try connection.execute("PRAGMA application_id = \(applicationID)")
        try connection.execute("PRAGMA user_version = \(newestVersion)")
    }
}
