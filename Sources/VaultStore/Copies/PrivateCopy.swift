internal import Platform
internal import VaultCrypto
internal import VaultSQLite

/// A directory of this process's own, for a database that is not finished or not trusted yet.
///
/// It goes with the value. What a process that was killed left behind goes with the next one made
/// at the same place: its lock is free.
package final class PrivateCopy {
    /// The copy, as a vault of its own.
    package let location: VaultLocation
    private let lock: FileLock

    private static let prefix = ".copy-"
    private static let lockName = "/copy.lock"

    /// Makes an empty one in a directory.
    init(in parent: String) throws {
        Self.removeLeftovers(in: parent)
        let path = "\(parent)/\(Self.prefix)\(Randomness.bytes(count: 8).hexadecimal)"
        let unlocked = path + ".new"
        location = VaultLocation(copyIn: path)
        do {
            try FileSystem.makeNewDirectory(unlocked)
            defer { try? FileSystem.removeDirectory(unlocked) }
            lock = try FileLock(path: unlocked + Self.lockName)
            _ = try lock.tryLock(.agent)
            // Under this name it may be removed once its lock is free, so not before it is held.
            try FileSystem.install(unlocked, as: path)
        } catch {
            throw StoreError.file(path: path, error)
        }
    }

    deinit {
        try? FileSystem.removeDirectory(location.directory)
    }

    private static func removeLeftovers(in parent: String) {
        guard let names = try? FileSystem.entries(of: parent) else { return }
        for name in names where name.hasPrefix(prefix) && !name.hasSuffix(".new") {
            let path = parent + "/" + name
            guard FileSystem.exists(path + lockName),
                let lock = try? FileLock(path: path + lockName),
                (try? lock.tryLock(.agent)) == true
            else { continue }
            try? FileSystem.removeDirectory(path)
        }
    }

    // MARK: - Filling it

    /// Fills it from an open database, as of one moment.
    func fill(from source: Connection) throws {
        do {
            // SQLite would make the file 0644 and leave the rest to the umask.
            try FileSystem.writeNew(location.database, [UInt8]().span)
        } catch {
            throw StoreError.file(path: location.database, error)
        }
        let copy = try Connection(path: location.database, mode: .readWrite)
        try DatabaseSettings.applyForReading(to: copy)
        // Nobody else sees this file, and it counts only once it has been synced as a whole.
        try copy.execute("PRAGMA journal_mode = MEMORY")
        try copy.execute("PRAGMA synchronous = OFF")
        try source.copy(to: copy)
    }

    /// Fills it with the bytes of a file and of the journal beside it, which SQLite then plays back
    /// into the copy and not into the file.
    func fill(fromFile path: String, journal: String?) throws {
        do {
            try FileSystem.copy(path, toNew: location.database)
            if let journal { try FileSystem.copy(journal, toNew: location.journal) }
        } catch {
            throw StoreError.file(path: path, error)
        }
    }
}
