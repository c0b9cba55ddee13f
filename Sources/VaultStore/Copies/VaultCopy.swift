internal import Platform
internal import VaultSQLite

/// Somebody's copy of a vault, looked at without changing it: all that is opened is a private copy.
package final class VaultCopy {
    /// Where the copy that was given is.
    package let path: String
    /// The private copy, locked, and of this program's schema.
    package let file: VaultFile
    let directory: PrivateCopy

    /// Copies a file into a directory of its own beside a vault's files, or beside the file where
    /// there is no vault, and opens that.
    ///
    /// A journal that lies beside the file is honoured in the copy. A write-ahead log is refused: a
    /// vault never has one, so it belongs to something else.
    package init(_ given: String, beside vault: VaultLocation) throws {
        path = FileSystem.absolute(given)
        let found = try Self.regularFile(path)
        if let live = try? FileSystem.status(of: vault.database), live.identity == found.identity {
            throw StoreError.sameFile(path: path)
        }
        let slash = found.path.lastIndex(of: "/") ?? found.path.startIndex
        let parent =
            FileSystem.exists(vault.directory) ? vault.directory : String(found.path[..<slash])
        do {
            (directory, file) = try Self.open(found.path, in: parent)
        } catch  where error.isDoubtfulRead {
            do {
                (directory, file) = try Self.open(found.path, in: parent)
            } catch StoreError.damaged {
                throw StoreError.damaged(path: path)
            }
        }
    }

    private static func open(
        _ path: String,
        in parent: String
    ) throws -> (PrivateCopy, VaultFile) {
        let directory = try PrivateCopy(in: parent)
        try fill(directory, from: path)
        return (directory, try VaultFile(directory.location))
    }

    package var location: VaultLocation { directory.location }

    /// Makes the directory of a vault that is to be restored where there is none, or checks it.
    package static func prepareDirectory(of vault: VaultLocation) throws {
        do {
            try FileSystem.makeDirectories(vault.directory)
            try FilePermissions.checkDirectory(vault.directory)
            try NetworkFileSystem.check(vault)
        } catch let error as SystemError {
            throw StoreError.file(path: vault.directory, error)
        }
    }

    private static func regularFile(
        _ path: String
    ) throws -> (path: String, identity: FileStatus.Identity) {
        do {
            let resolved = try FileSystem.resolved(path)
            let status = try FileSystem.status(of: resolved)
            guard status.kind == .regular else { throw StoreError.damaged(path: path) }
            return (resolved, status.identity)
        } catch let error as SystemError {
            throw StoreError.file(path: path, error)
        }
    }

    private static func fill(_ directory: PrivateCopy, from path: String) throws {
        let header = try start(of: path, count: 20)
        guard header.starts(with: Array("SQLite format 3\0".utf8)), header.count == 20 else {
            throw StoreError.damaged(path: path)
        }
        guard try start(of: path + "-wal", count: 1).isEmpty else {
            throw StoreError.companionFile(path: path + "-wal")
        }
        let isHot = try hasHotJournal(path)
        let wantsLog = header[18...19].contains(2)
        guard isHot || wantsLog else {
            do {
                // Through SQLite, whose locks see to it that nobody writes meanwhile.
                let source = try Connection(path: path, mode: .readWrite)
                try DatabaseSettings.applyForReading(to: source)
                return try directory.fill(from: source)
            } catch let error as SQLiteError where error.isDamage {
                throw StoreError.damaged(path: path)
            }
        }
        try directory.fill(fromFile: path, journal: isHot ? path + "-journal" : nil)
    }

    /// Whether a journal beside a file is of a transaction that has not ended: its start is zeroed
    /// when it does (sqlite.org/fileformat2.html#the_rollback_journal).
    static func hasHotJournal(_ path: String) throws -> Bool {
        try start(of: path + "-journal", count: 8).contains { $0 != 0 }
    }

    private static func start(of path: String, count: Int) throws -> [UInt8] {
        do {
            return try FileSystem.read(path, limit: count)
        } catch let error where error == .notFound {
            return []
        } catch {
            throw StoreError.file(path: path, error)
        }
    }
}
