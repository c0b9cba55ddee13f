/// The schema's history, embedded in the program from the files beside this one.
package enum MigrationCatalog {
    /// One file of the history.
    package struct Entry: Sendable {
        package let version: Int64
        package let name: String
        package let sql: [UInt8]
    }

    /// In order, each with the number and name of its file.
    package static let entries = [
        Entry(
            version: 1,
            name: "create_vault",
            sql: PackageResources._001_create_vault_sql
        ),
        Entry(
            version: 2,
            name: "date_key_slots",
            sql: PackageResources._002_date_key_slots_sql
        ),
        Entry(
            version: 3,
            name: "keep_client_states",
            sql: PackageResources._003_keep_client_states_sql
        ),
        Entry(
            version: 4,
            name: "find_accounts",
            sql: PackageResources._004_find_accounts_sql
        ),
        Entry(
            version: 5,
            name: "plan_and_remember",
            sql: PackageResources._005_plan_and_remember_sql
        ),
    ]

    /// The version of the last entry.
    package static let newestVersion: Int64 = 5

    /// Marks a database as a vault's: "VLT1" in ASCII
    /// (sqlite.org/pragma.html#pragma_application_id).
    package static let applicationID: Int64 = 0x564C_5431
}
