internal import FoundationEssentials
internal import Platform
internal import VaultSQLite

/// Brings a vault of an older version up to this program's schema.
enum SchemaMigration {
    /// Migrates a vault while no refresh is in flight; whoever comes second finds it done.
    ///
    /// A copy of the old file is in `backups` before anything is changed, and all changes are one
    /// transaction: killed at any point, the vault is old or new.
    static func run(_ location: VaultLocation, from version: Int64) throws {
        do {
            let now = SystemClock().now().wall
            guard !location.isPrivateCopy else { return try migrateTwice(location, at: now) }
            try VaultFile.withoutRefreshes(of: location) { try migrateTwice(location, at: now) }
        } catch StoreError.file(let path, let error) {
            throw StoreError.notMigrated(
                version: version,
                path: path,
                reason: error.description
            )
        } catch let error as SQLiteError where error.code.primary != .busy {
            throw StoreError.notMigrated(
                version: version,
                path: location.database,
                reason: error.description
            )
        } catch let error as UnknownCommit {
            throw StoreError.notMigrated(
                version: version,
                path: location.database,
                reason: error.cause.description
            )
        }
    }

    /// Nothing was changed by an attempt that met a bad read, which one more may not meet.
    private static func migrateTwice(_ location: VaultLocation, at date: Date) throws {
        do {
            try migrate(location, at: date)
        } catch  where error.isDoubtfulRead {
            try migrate(location, at: date)
        }
    }

    private static func migrate(_ location: VaultLocation, at date: Date) throws {
        let connection = try VaultFile.connect(to: location)
        guard try Schema.version(of: connection, path: location.database) < Schema.newestVersion
        else { return }
        try DatabaseSettings.applyForWriting(to: connection)
        // A table that is replaced would take what refers to it along; what is left dangling is
        // found at the end (sqlite.org/lang_altertable.html#otheralter).
        try connection.execute("PRAGMA foreign_keys = OFF")
        try connection.write {
            let version = try Schema.version(of: connection, path: location.database)
            guard version < Schema.newestVersion else { return }
            try verify(connection, version: version, location)
            try backUp(location, from: version, at: date)
            try Schema.migrator.migrate(connection, from: version, at: date.unixSeconds)
            try verify(connection, version: Schema.newestVersion, location)
        }
    }

    /// Refuses to build on a file that is damaged, or that has another schema than its version's.
    static func verify(
        _ connection: Connection,
        version: Int64,
        _ location: VaultLocation
    ) throws {
        guard try connection.isIntact() else { throw StoreError.damaged(path: location.database) }
        guard try Schema.digest(of: connection) == Schema.digest(ofVersion: version),
            try Schema.migrator.ledgerIsRight(in: connection, upTo: version)
        else { throw StoreError.tampered(.schema) }
    }

    /// Keeps the vault as it is before anything is changed; a copy of one needs no copy.
    private static func backUp(
        _ location: VaultLocation,
        from version: Int64,
        at date: Date
    ) throws {
        guard !location.isPrivateCopy else { return }
        let folder = BackupFolder(location)
        let path = try folder.unusedName(
            "migration-\(version)-to-\(Schema.newestVersion)",
            at: date
        )
        let copy = try PrivateCopy(in: folder.path)
        // The writer's own connection would copy its transaction too.
        try copy.fill(from: VaultFile.connect(to: location))
        guard try VaultFile.connect(to: copy.location).isIntact() else {
            throw StoreError.damaged(path: path)
        }
        do {
            try FileSystem.install(copy.location.database, as: path)
        } catch {
            throw StoreError.file(path: path, error)
        }
    }
}
