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
    private static let lockName = "copy.lock"
    /// Every name that is ever given to a file in it.
    private static let fileNames = [
        "vault.db", "vault.db-journal", "vault.db-wal", "vault.db-shm", "vault.lock",
        "vault.reserve", keptJournalName, lockName,
    ]
    private static let keptJournalName = "kept.db-journal"

    /// Makes an empty one in a directory.
    init(in parent: String) throws {
        try Self.check(parent)
        Self.removeLeftovers(in: parent)
        let path = "\(parent)/\(Self.prefix)\(Randomness.bytes(count: 8).hexadecimal)"
        let unlocked = path + ".new"
        location = VaultLocation(copyIn: path)
        do {
            try FileSystem.makeNewDirectory(unlocked)
            defer { try? OwnDirectory(unlocked).remove(files: [Self.lockName]) }
            lock = try FileLock(path: unlocked + "/" + Self.lockName)
            _ = try lock.tryLock(.agent)
            // Under this name it may be removed once its lock is free, so not before it is held.
            try FileSystem.install(unlocked, as: path)
        } catch {
            throw StoreError.file(path: path, error)
        }
    }

    deinit {
        try? OwnDirectory(location.directory).remove(files: Self.fileNames)
    }

    /// Refuses a directory where anybody could put another in this one's place.
    private static func check(_ parent: String) throws {
        let status: FileStatus
        do {
            status = try FileSystem.status(of: FileSystem.resolved(parent))
        } catch {
            throw StoreError.file(path: parent, error)
        }
        let isSticky = status.permissions & 0o1000 != 0
        guard status.permissions & 0o022 == 0 || isSticky else {
            throw PermissionProblem(path: parent, found: .parentWritable(mode: status.permissions))
        }
    }

    /// Only what is ours, and of that only what this program puts there: in a directory like /tmp
    /// anybody may make a directory, or a link, of such a name.
    private static func removeLeftovers(in parent: String) {
        guard let names = try? FileSystem.entries(of: parent) else { return }
        for name in names where name.hasPrefix(prefix) && !name.hasSuffix(".new") {
            guard let directory = try? OwnDirectory(parent + "/" + name),
                let lock = try? FileLock(lockName, in: directory),
                (try? lock.tryLock(.agent)) == true
            else { continue }
            try? directory.remove(files: fileNames)
        }
    }

    /// A place for the journal of the vault that a restore finds.
    var keptJournal: String { location.directory + "/" + Self.keptJournalName }

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
