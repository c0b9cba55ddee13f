package import FoundationEssentials
internal import Platform
internal import VaultCrypto
internal import VaultMigrations
internal import VaultSQLite

/// What can be told of a vault's files from outside.
package struct VaultSurvey: Sendable {
    private let location: VaultLocation

    package init(_ location: VaultLocation) {
        self.location = location
    }

    /// Everything that others can reach, or that is not what it should be, each with its path.
    ///
    /// Opening stops at the first of these.
    package func permissionErrors() -> [any Error] {
        let backups = BackupFolder(location)
        let directories = [location.directory, backups.path]
        let files =
            [location.database] + location.companions
            + [location.lock, location.reserve, location.networkPermission]
            + [location.log, location.log + ".1"]
            + ((try? backups.all()) ?? [])
        return directories.compactMap { Self.error($0, FilePermissions.checkDirectory) }
            + files.compactMap { Self.error($0, FilePermissions.checkFile) }
    }

    private static func error(
        _ path: String,
        _ check: (String) throws -> Void
    ) -> (any Error)? {
        do {
            try check(path)
            return nil
        } catch let error as SystemError {
            return error == .notFound ? nil : StoreError.file(path: path, error)
        } catch {
            return error
        }
    }

    /// Whether a write was cut short, which the next reader of the file undoes: a journal whose
    /// header is not zeros (sqlite.org/fileformat.html, The Rollback Journal).
    package func hasHotJournal() -> Bool {
        guard let header = try? FileSystem.read(location.journal, limit: 8) else { return false }
        return header == [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    }

    /// The version of the file's format; older ones are brought up to date when a vault is opened.
    package func formatVersion() throws -> Int64 {
        let connection = try Connection(path: location.database, mode: .readWrite)
        try DatabaseSettings.applyForReading(to: connection)
        return try Schema.version(of: connection, path: location.database)
    }

    /// The version that this program writes.
    package static var newestFormat: Int64 { MigrationCatalog.newestVersion }
}

extension VaultFile {
    /// The newest time that the file has written down; nil when it has none.
    ///
    /// From clear columns: enough to notice a clock, not to decide on anything.
    package func newestTime() throws -> Date? {
        var select = try connection.prepare(
            """
            SELECT max(time) FROM ( \
            SELECT max(applied_at) AS time FROM schema_migration \
            UNION ALL SELECT max(changed_at) FROM key_slot \
            UNION ALL SELECT max(spent_at) FROM spent_token \
            UNION ALL SELECT max(received_at) FROM received_token \
            UNION ALL SELECT max(failed_at) FROM account)
            """
        )
        guard try select.step() else { return nil }
        return select.optionalInteger(at: 0).map { Date(unixSeconds: $0) }
    }

    /// Whether a rotation of the keys was begun and not finished; the keys have to be here.
    package func hasUnfinishedRotation() throws -> Bool {
        try currentKeyring().isRotating
    }

    /// Whether each account can be renewed; those that do not open are left out.
    package func renewability() throws -> [String: Bool] {
        var renewability: [String: Bool] = [:]
        var page = AccountPage(next: "")
        while let next = page.next {
            page = try accountPage(after: next.isEmpty ? nil : next, limit: 256)
            for account in page.accounts {
                renewability[account.name.text] = account.isRenewable
            }
        }
        return renewability
    }
}
