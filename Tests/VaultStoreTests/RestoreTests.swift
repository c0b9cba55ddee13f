import FoundationEssentials
internal import Glibc
import Platform
import Testing
import VaultCrypto
import VaultSQLite

@testable import VaultStore

@Suite struct RestoreTests {
    private static let later = Fixture.now.addingTimeInterval(86_400)

    /// A vault with "work" and "home", of which there is a backup.
    private func withBackup(
        _ body: (TemporaryVault, SQLiteStore) async throws -> Void
    ) async throws {
        try await withTemporaryVault { vault in
            let store = try vault.openStore()
            _ = try await store.insert(Fixture.account("home", grant: "home-1"))
            _ = try await store.insert(Fixture.account("work", grant: "work-1"))
            try vault.open().backup(to: vault.copy)
            try await body(vault, store)
        }
    }

    @Test("server B13: what was refreshed since is held, what was not goes on")
    func accountsThatMovedOnAreHeld() async throws {
        try await withBackup { vault, store in
            try await store.refresh("work", to: "work-2")
            try await store.refresh("work", to: "work-3")
            let report = try vault.restore(vault.copy)
            #expect(
                report.accounts == [
                    .init(name: "home", state: .active, isUnchanged: true),
                    .init(name: "work", state: .verifyBeforeUse, isUnchanged: false),
                ]
            )
            #expect(report.missing == [])
            // Whoever had it open sees the new content.
            let work = try store.account(named: "work")
            // To whoever saw the third pair, it is the next.
            #expect(work.generation == 4)
            #expect(work.tokens.refreshToken == Secret("refresh-work-1"))
            #expect(work.tokens.hold == Hold(reason: .restored, since: Self.later))
            #expect(work.health.state == .verifyBeforeUse)
            #expect(work.health.due == nil)
            let home = try store.account(named: "home")
            #expect(home.tokens.hold == nil)
            #expect(home.health.due != nil)
            #expect(try vault.open().verify().findings == [])
            // And what was here is in the folder.
            let kept = try #require(report.keptAt)
            #expect(kept == vault.location.directory + "/backups/restore-20270116T080000Z.db")
            let old = try VaultCopy(kept, beside: vault.location)
            try old.file.unlock(with: .keyFileAt(path: vault.keyFile))
            #expect(try old.file.account(named: "work").generation == 3)
        }
    }

    @Test func whatWasSpentSinceStaysSpent() async throws {
        try await withBackup { vault, store in
            try await store.refresh("work", to: "work-2")
            let hash = try store.spentTokenHash(of: Secret("refresh-work-1"))
            _ = try vault.restore(vault.copy)
            #expect(try vault.open().isSpent(hash))
            await #expect(throws: StoreError.grantKnown(.spent)) {
                try await store.insert(Fixture.account("other", grant: "work-1"))
            }
        }
    }

    @Test func anAccountThatWasRemovedSinceComesBackHeldIfItsTokenWasSpent() async throws {
        try await withBackup { vault, store in
            try await store.refresh("work", to: "work-2")
            try await store.remove("work")
            try await store.remove("home")
            let late = try await store.insert(Fixture.account("late"))
            let report = try vault.restore(vault.copy)
            #expect(report.accounts.map(\.state) == [.active, .verifyBeforeUse])
            #expect(report.missing == ["late"])
            // Its number in the lock file is not given to another.
            let next = try await store.insert(Fixture.account("next"))
            #expect(next.number > late.number)
        }
    }

    @Test func whatIsKnownOfAPairThatIsTheSameStaysKnown() async throws {
        try await withBackup { vault, store in
            // Moved to another vault after the backup was made.
            let file = try vault.open()
            for (name, reason) in [("home", Hold.Reason.moved)] as [(AccountName, Hold.Reason)] {
                let account = try file.account(named: name)
                var tokens = account.tokens
                tokens.hold = Hold(reason: reason, since: Fixture.now)
                try file.write {
                    try file.rewrite(
                        account,
                        tokens,
                        nil,
                        generation: account.generation,
                        at: Fixture.now
                    )
                }
            }
            // Sent, and its answer never arrived.
            _ = try await store.claim("work")
            let report = try vault.restore(vault.copy)
            #expect(report.accounts.map(\.state) == [.paused, .active])
            #expect(try store.account(named: "home").tokens.hold?.reason == .moved)
            #expect(try store.account(named: "work").intent != nil)
        }
    }

    @Test func aGrantThatWasRefreshedAndMovedStaysMoved() async throws {
        try await withBackup { vault, store in
            try await store.refresh("work", to: "work-2")
            let file = try vault.open()
            let account = try file.account(named: "work")
            var tokens = account.tokens
            tokens.hold = Hold(reason: .moved, since: Fixture.now)
            try file.write {
                try file.rewrite(
                    account,
                    tokens,
                    nil,
                    generation: account.generation,
                    at: Fixture.now
                )
            }
            let report = try vault.restore(vault.copy)
            #expect(report.accounts.map(\.state) == [.active, .paused])
        }
    }

    @Test func aRefreshThatWasUnderWayKeepsItsPairAside() async throws {
        try await withBackup { vault, store in
            let claim = try await store.claim("work")
            _ = try vault.restore(vault.copy)
            let outcome = try await store.install(Fixture.pair("work-2"), for: claim)
            #expect(outcome == .superseded)
            #expect(try Editor(vault).integer("SELECT count(*) FROM received_token") == 1)
            // And a second restore does not lose it.
            _ = try vault.restore(vault.copy)
            #expect(try Editor(vault).integer("SELECT count(*) FROM received_token") == 1)
            #expect(try vault.open().verify().findings == [])
        }
    }

    @Test func restoringTwiceChangesNothingMore() async throws {
        try await withBackup { vault, store in
            try await store.refresh("work", to: "work-2")
            _ = try vault.restore(vault.copy)
            let before = try store.account(named: "work")
            let report = try vault.restore(vault.copy, at: Self.later.addingTimeInterval(1))
            #expect(report.accounts.map(\.isUnchanged) == [true, true])
            #expect(try store.account(named: "work").tokens == before.tokens)
        }
    }

    @Test func whereThereIsNoVaultTheCopyBecomesOne() async throws {
        try await withBackup { vault, store in
            try await store.refresh("work", to: "work-2")
            let second = vault.folder + "/second.db"
            try vault.open().backup(to: second)
            let place = VaultLocation(directory: vault.folder + "/other")
            try FileSystem.makeDirectories(place.directory)
            let copy = try VaultCopy(second, beside: place)
            try copy.file.unlock(with: .keyFileAt(path: vault.keyFile))
            let report = try copy.restore(into: place, now: Self.later)
            #expect(report.keptAt == nil)
            // What is here says nothing of what was spent since.
            #expect(report.accounts.map(\.state) == [.verifyBeforeUse, .verifyBeforeUse])
            let file = try VaultFile(place)
            try file.unlock(with: .keyFile)
            #expect(try file.verify().findings == [])
            #expect(try file.account(named: "work").generation == 2)
            #expect(try FileSystem.status(of: place.database).permissions == 0o600)
        }
    }

    @Test func anotherVaultIsOverwrittenOnlyWhenToldTo() async throws {
        try await withBackup { vault, _ in
            try await withTemporaryVault { other in
                let file = try other.open()
                _ = try file.insert(Fixture.account("here"))
                let copy = try VaultCopy(vault.copy, beside: other.location)
                try copy.file.unlock(with: .keyFileAt(path: vault.keyFile))
                #expect(throws: StoreError.otherVault(path: vault.copy)) {
                    try copy.restore(into: other.location, now: Self.later)
                }
                #expect(try file.account(named: "here").generation == 1)
                var options = VaultCopy.Options()
                options.replacesOther = true
                let report = try copy.restore(
                    into: other.location,
                    options: options,
                    now: Self.later
                )
                #expect(report.keptAt != nil)
                let again = try VaultFile(other.location)
                try again.unlock(with: .keyFileAt(path: vault.keyFile))
                #expect(try again.account(named: "work").generation == 1)
            }
        }
    }

    @Test func aDamagedVaultIsMendedInPlace() async throws {
        for damage in ["header", "schema", "record", "nothing left"] {
            try await withBackup { vault, store in
                let identity = try FileSystem.status(of: vault.database).identity
                switch damage {
                case "header", "nothing left":
                    var content = bytes(of: vault.database)
                    if damage == "header" {
                        for index in 0..<200 { content[index] = 0xff }
                    } else {
                        content = []
                    }
                    let handle = try FileHandle.overwriting(vault.database, with: content)
                    #expect(handle == content.count)
                case "schema": try Editor(vault).run("CREATE TABLE extra (a)")
                default: try Editor(vault).setBox("tokens_box", of: "work", to: [0])
                }
                let report = try vault.restore(vault.copy)
                #expect(report.accounts.count == 2, "\(damage)")
                #expect(FileSystem.exists(report.keptAt ?? ""))
                #expect(try vault.open().verify().findings == [])
                #expect(try FileSystem.status(of: vault.database).identity == identity)
                // A record that does not open says nothing of its grant.
                let generation: UInt64 = damage == "record" ? 2 : 1
                #expect(try store.account(named: "work").generation == generation)
            }
        }
    }

    @Test func whatIsNotSoundIsRefusedAndNothingChanged() async throws {
        try await withBackup { vault, store in
            let connection = try Connection(path: vault.copy, mode: .readWrite)
            try connection.execute("UPDATE account SET tokens_box = x'00' WHERE name = 'home'")
            let before = bytes(of: vault.database)
            #expect(throws: StoreError.self) { try vault.restore(vault.copy) }
            #expect(bytes(of: vault.database) == before)
            #expect(try store.account(named: "home").generation == 1)
        }
    }

    @Test func aBackupOfAnOlderFormatIsMigratedInTheCopy() async throws {
        try await withTemporaryFolder { folder in
            let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "Fixtures")
            let (old, key) = (folder + "/old.db", folder + "/old.key")
            for (name, path) in [("schema-0001.db", old), ("schema-0001.key", key)] {
                try write(bytes(of: fixtures.appending(path: name).path), to: path)
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o600],
                    ofItemAtPath: path
                )
            }
            let before = bytes(of: old)
            let place = VaultLocation(directory: folder + "/vault")
            try VaultCopy.prepareDirectory(of: place)
            let copy = try VaultCopy(old, beside: place)
            try copy.file.unlock(with: .keyFileAt(path: key))
            let report = try copy.restore(into: place, now: Self.later)
            #expect(!report.accounts.isEmpty)
            #expect(bytes(of: old) == before)
            // What opened it is where it is found from now on.
            let file = try VaultFile(place)
            try file.unlock(with: .keyFile)
            #expect(try file.verify().findings == [])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 3)
        }
    }

    @Test func aBackupUnderAnotherRootKeyBringsItsKeysBack() async throws {
        try await withBackup { vault, store in
            try Editor(vault).run("UPDATE vault SET root_check = zeroblob(32)")
            let report = try vault.restore(vault.copy)
            // Hashes under another key tell nothing: whatever may have been spent is held.
            #expect(report.accounts.allSatisfy { $0.state == .verifyBeforeUse })
            #expect(try vault.open().verify().findings == [])
            #expect(try store.account(named: "work").generation == 2)
        }
    }

    @Test func theVaultItselfIsNoCopyOfIt() async throws {
        try await withBackup { vault, _ in
            let link = vault.folder + "/link.db"
            try FileManager.default.createSymbolicLink(
                atPath: link,
                withDestinationPath: vault.database
            )
            for path in [vault.database, link] {
                #expect(throws: StoreError.sameFile(path: path)) { try vault.restore(path) }
            }
        }
    }

    @Test("faults F-30: what is no vault is told apart and left alone")
    func whatIsNoVault() async throws {
        try await withBackup { vault, _ in
            let path = vault.folder + "/thing"
            let whole = bytes(of: vault.copy)
            let contents: [[UInt8]] = [
                [], [0x53], [UInt8](repeating: 0, count: 40_960), Randomness.bytes(count: 9000),
                Array(whole.prefix(4096)), Array(whole.prefix(whole.count - 4096)),
                Array(whole.prefix(whole.count / 2)),
            ]
            for content in contents {
                try write(content, to: path)
                #expect(throws: StoreError.damaged(path: path), "\(content.count)") {
                    try vault.restore(path)
                }
                #expect(bytes(of: path) == content)
                try FileSystem.remove(path)
            }
            mkfifo(path, 0o600)
            for path in [path, vault.folder, "/dev/null"] {
                #expect(throws: StoreError.damaged(path: path)) { try vault.restore(path) }
            }
            let missing = vault.folder + "/missing"
            #expect(throws: StoreError.file(path: missing, .notFound)) {
                try vault.restore(missing)
            }
            try Connection(path: vault.copy, mode: .readWrite).execute("PRAGMA user_version = 99")
            #expect(throws: StoreError.newerFormat(version: 99)) { try vault.restore(vault.copy) }
        }
    }

    @Test("faults F-31, security 55: a journal beside a copy is honoured, in a copy of it")
    func hotJournalBesideACopy() async throws {
        try await withBackup { vault, store in
            // A vault that was copied with its journal while a writer lay dead.
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = vault.copy as String] in
                let connection = try Connection(path: path, mode: .readWrite)
                try DatabaseSettings.applyForWriting(to: connection)
                try connection.executeScript(
                    """
                    PRAGMA cache_size = 2;
                    BEGIN IMMEDIATE;
                    UPDATE account SET tokens_box = randomblob(90000), name = name || '-x';
                    """
                )
                raise(SIGKILL)
            }
            let before = (bytes(of: vault.copy), bytes(of: vault.copy + "-journal"))
            #expect(before.1.prefix(8).contains { $0 != 0 })
            let report = try vault.restore(vault.copy)
            #expect(report.accounts.map(\.name) == ["home", "work"])
            #expect(bytes(of: vault.copy) == before.0)
            #expect(bytes(of: vault.copy + "-journal") == before.1)
            #expect(try store.account(named: "work").generation == 1)
        }
    }

    @Test("faults F-31, security 55: a journal or log of something else spoils nothing")
    func strangersBesideACopy() async throws {
        try await withBackup { vault, store in
            let file = try vault.open()
            for index in 0..<20 {
                let name = try #require(AccountName("account-\(index)"))
                _ = try file.insert(Fixture.account(name))
            }
            // The journal of a later state of the vault, beside a copy of an earlier one.
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = vault.database as String] in
                let connection = try Connection(path: path, mode: .readWrite)
                try DatabaseSettings.applyForWriting(to: connection)
                try connection.executeScript(
                    """
                    PRAGMA cache_size = 2;
                    BEGIN IMMEDIATE;
                    UPDATE account SET tokens_box = randomblob(9000);
                    """
                )
                raise(SIGKILL)
            }
            let copy = bytes(of: vault.copy)
            try FileSystem.copy(vault.journal, toNew: vault.copy + "-journal")
            #expect(throws: StoreError.self) { try vault.restore(vault.copy) }
            #expect(bytes(of: vault.copy) == copy)
            try FileSystem.remove(vault.copy + "-journal")
            try write([1], to: vault.copy + "-wal")
            #expect(throws: StoreError.companionFile(path: vault.copy + "-wal")) {
                try vault.restore(vault.copy)
            }
            try FileSystem.remove(vault.copy + "-wal")
            #expect(try vault.restore(vault.copy).accounts.count == 2)
            #expect(try store.account(named: "work").generation == 1)
        }
    }

    @Test("a restore waits for the refreshes in flight, and gives up in time")
    func refreshesInFlight() async throws {
        try await withBackup { vault, store in
            let lock = try FileLock(path: vault.location.lock)
            let number = try store.account(named: "work").number
            _ = try lock.tryLock(.account(number))
            #expect(throws: StoreError.inUse) { try vault.restore(vault.copy, limit: 0.05) }
            lock.unlock(.account(number))
            #expect(try vault.restore(vault.copy).accounts.count == 2)
        }
    }

    /// Killed wherever a file grows: the vault is as it was, or as the copy is.
    @Test("faults F-07: a restore that is killed leaves the old vault or the new one")
    func killed() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            for index in 0..<30 {
                let name = try #require(AccountName("account-\(index)"))
                _ = try file.insert(Fixture.account(name))
            }
            try file.backup(to: vault.copy)
            for index in 30..<60 {
                let name = try #require(AccountName("account-\(index)"))
                _ = try file.insert(Fixture.account(name))
            }
            let size = try FileSystem.status(of: vault.database).size
            for limit in stride(from: 10_000, to: size + 20_000, by: Int(size) / 8) {
                await #expect(processExitsWith: .signal(SIGXFSZ)) {
                    [folder = vault.folder as String, limit = UInt(limit) as UInt] in
                    dieWhenAFileGrows(past: limit)
                    _ = try TemporaryVault(folder: folder).restore(folder + "/copy.db")
                    raise(SIGXFSZ)
                }
                let report = try vault.open().verify()
                #expect(report.findings == [])
                #expect([30, 60].contains(report.accounts))
            }
        }
    }
}

extension TemporaryVault {
    func restore(
        _ path: String,
        at now: Date = Fixture.now.addingTimeInterval(86_400),
        limit: Double = 5
    ) throws -> RestoreReport {
        let copy = try VaultCopy(path, beside: location)
        try copy.file.unlock(with: .keyFileAt(path: keyFile))
        var options = VaultCopy.Options()
        options.limit = limit
        return try copy.restore(into: location, options: options, now: now)
    }
}

private enum FileHandle {
    /// Writes over a file in place; the number of bytes it has afterwards.
    static func overwriting(_ path: String, with content: [UInt8]) throws -> Int {
        let descriptor = open(path, O_WRONLY | O_TRUNC)
        defer { close(descriptor) }
        return write(descriptor, content, content.count)
    }
}
