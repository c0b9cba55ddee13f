internal import Platform
internal import VaultSQLite

/// A copy of the whole database in a file of its own.
enum DatabaseCopy {
    /// Makes one (0600 from its first byte), which gets its name once it is whole, checked and on
    /// disk.
    ///
    /// The copy is of what is committed: within a transaction of the same process the source is
    /// another connection than the writer's.
    static func make(of source: Connection, at path: String, by unfinished: String) throws {
        do {
            try FileSystem.remove(unfinished)
            try FileSystem.writeNew(unfinished, [UInt8]().span)
            defer { try? FileSystem.remove(unfinished) }
            try fill(unfinished, from: source)
            try FileSystem.install(unfinished, as: path)
        } catch let error as SystemError {
            throw StoreError.file(path: path, error)
        }
    }

    private static func fill(_ path: String, from source: Connection) throws {
        let copy = try Connection(path: path, mode: .readWrite)
        try DatabaseSettings.applyForReading(to: copy)
        // Nobody else sees this file, and it counts only once it has been synced as a whole.
        try copy.execute("PRAGMA journal_mode = MEMORY")
        try copy.execute("PRAGMA synchronous = OFF")
        try source.copy(to: copy)
        guard try copy.isIntact() else { throw StoreError.damaged(path: path) }
    }
}
