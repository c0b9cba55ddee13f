package import FoundationEssentials
internal import Platform
internal import VaultSQLite

/// The vault's own backups: `backups` in its directory.
///
/// Each is a whole vault with the key slots and tokens of its day, until it is erased.
package struct BackupFolder: Sendable {
    /// Dailies that are kept.
    private static let dailiesKept = 7
    /// Seconds between two of them.
    private static let day: TimeInterval = 86_400
    private static let daily = "daily"

    package let path: String

    package init(_ vault: VaultLocation) {
        path = vault.directory + "/backups"
    }

    /// Every backup in the folder, in the order of their names.
    package func all() throws -> [String] {
        do {
            return try FileSystem.entries(of: path)
                .filter { $0.hasSuffix(".db") && !$0.hasPrefix(".") }
                .map { path + "/" + $0 }
        } catch let error where error == .notFound {
            return []
        } catch {
            throw StoreError.file(path: path, error)
        }
    }

    /// Erases backups; what a disk keeps of a file that is unlinked is beyond any program.
    package func purge(_ backups: [String]) throws {
        for backup in backups where backup.hasPrefix(path + "/") {
            do {
                try FileSystem.remove(backup)
                for suffix in ["-journal", "-wal", "-shm"] {
                    try FileSystem.remove(backup + suffix)
                }
            } catch {
                throw StoreError.file(path: backup, error)
            }
        }
    }

    // MARK: - What is still in them

    /// What looking through the backups came to.
    package struct Found: Sendable, Equatable {
        /// Those that hold what was looked for.
        package var holding: [String] = []
        /// Those that cannot be looked at, so they may hold anything.
        package var unreadable: [String] = []
    }

    /// The backups that hold an account.
    package func holding(account id: [UInt8]) throws -> Found {
        try holding("SELECT 1 FROM account WHERE account_id = ?1", id)
    }

    /// The backups that a key slot still opens, going by its commitment.
    package func holding(slotCommitment: [UInt8]) throws -> Found {
        try holding("SELECT 1 FROM key_slot WHERE commitment = ?1", slotCommitment)
    }

    /// The backups under a root key, going by what vouches for it.
    package func holding(rootCheck: [UInt8]) throws -> Found {
        try holding("SELECT 1 FROM vault WHERE root_check = ?1", rootCheck)
    }

    private func holding(_ sql: String, _ bytes: [UInt8]) throws -> Found {
        var found = Found()
        for backup in try all() {
            do {
                if try Self.holds(backup, sql, bytes) { found.holding.append(backup) }
            } catch {
                found.unreadable.append(backup)
            }
        }
        return found
    }

    private static func holds(_ backup: String, _ sql: String, _ bytes: [UInt8]) throws -> Bool {
        try FilePermissions.checkFile(backup)
        let connection = try Connection(path: backup, mode: .readWrite)
        try DatabaseSettings.applyForReading(to: connection)
        var select = try connection.prepare(sql)
        select.bind(bytes, at: 1)
        return try select.step()
    }

    // MARK: - Making them

    /// A path in the folder, which is made if need be, that nothing has yet.
    func unusedName(_ kind: String, at date: Date) throws -> String {
        do {
            try FileSystem.makeDirectories(path)
            try FilePermissions.checkDirectory(path)
        } catch let error as SystemError {
            throw StoreError.file(path: path, error)
        }
        let name = "\(path)/\(kind)-\(CompactTime.text(of: date))"
        // Several within one second.
        let names = [name] + (2...99).map { "\(name)-\($0)" }
        guard let unused = names.first(where: { !FileSystem.exists($0 + ".db") }) else {
            throw StoreError.fileExists(path: name + ".db")
        }
        return unused + ".db"
    }

    /// Makes a daily backup if the newest is a day old, and drops the oldest of more than a week's.
    ///
    /// Where the clock was set back, the dailies of a time to come count as older than any.
    ///
    /// - Returns: The path of the new one; nil when none was due.
    package func backUpDaily(_ file: VaultFile, now: Date) throws -> String? {
        guard try file.accountCount() > 0 else { return nil }
        let newest = try dailies(until: now).past.last
        let limit = Self.dailyName(now.addingTimeInterval(-Self.day))
        if let newest, newest > limit { return nil }
        let made = try unusedName(Self.daily, at: now)
        try file.backup(to: made)
        let (future, past) = try dailies(until: now)
        let excess = (future + past).dropLast(Self.dailiesKept)
        try purge(excess.map { path + "/" + $0 })
        return made
    }

    /// The names of the dailies of a time to come and of those before, each oldest first.
    private func dailies(until now: Date) throws -> (future: [String], past: [String]) {
        let names = try all().map { String($0.dropFirst(path.count + 1)) }.filter(Self.isDaily)
        let latest = Self.dailyName(now)
        return (names.filter { $0 > latest }, names.filter { $0 <= latest })
    }

    private static func dailyName(_ date: Date) -> String {
        "\(daily)-\(CompactTime.text(of: date)).db"
    }

    /// Whether it is a name as `dailyName` makes them: any other file stays.
    private static func isDaily(_ name: String) -> Bool {
        let shape = name.utf8.map { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? UInt8(ascii: "0") : byte
        }
        return shape == Array("daily-00000000T000000Z.db".utf8)
    }
}
