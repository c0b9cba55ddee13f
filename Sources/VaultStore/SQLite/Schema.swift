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

    static let newestVersion = MigrationCatalog.newestVersion

    /// Hash of a version's text as SQLite stores it; nil for a version that never was.
    ///
    /// A test computes them anew. (A dictionary would cost every start of the command a tenth of a
    /// millisecond: looking up that its keys are hashable.)
    static func digest(ofVersion version: Int64) -> String? {
        switch version {
        case 1: "359bedc0784c746e93a5aca3d4a021404879dd2df7c8b4a97845f0e8a9ad0e88"
        case 2: "7fab72a24e1533124d521f90c3df0669f6b752201f3aa4eb9d71fbddd3da32af"
        case 3: "2f47e2e40fb142ce69ac8e20f98780c649e638fcf07ba7dc9ec9f26726cc9c28"
        case 4: "968587c71f0e7b54f43bb9658a7d7f8ae8455c65d785b63302abe28a72f125e3"
        case 5: "9349da840b944302687f9368c93e4bb160f83b563d09bb048f95888429f1e65f"
        default: nil
        }
    }

    /// A vault that an older program made, and nobody changed.
    struct Outdated: Error {
        let version: Int64
    }

    /// Refuses a file that is not a vault's, or one whose schema says more or less than it should.
    ///
    /// A trigger or view that somebody added would run inside our transactions.
    ///
    /// - Throws: `Outdated` when nothing but a migration is missing.
    static func check(_ connection: Connection, path: String) throws {
        let version = try version(of: connection, path: path)
        guard try digest(of: connection) == digest(ofVersion: version) else {
            throw StoreError.tampered(.schema)
        }
        guard version == newestVersion else { throw Outdated(version: version) }
    }

    /// The version of a file, after refusing one that is not a vault's or is newer than this
    /// program.
    @discardableResult
    static func version(of connection: Connection, path: String) throws -> Int64 {
        do {
            return try Migrator.version(
                of: connection,
                applicationID: MigrationCatalog.applicationID,
                newest: newestVersion
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
