import FoundationEssentials
internal import Glibc
import Platform
import Testing
import VaultCrypto
import VaultSQLite

@testable import VaultStore

/// A vault that an older program made is brought up to date when it is opened, or left as it is.
@Suite(.timeLimit(.minutes(1))) struct SchemaMigrationTests {
    /// Opens the vault and looks at everything that the fixture has.
    private static func expectWhole(_ vault: TemporaryVault) throws {
        let file = try vault.open()
        let work = try file.account(named: "work")
        let home = try file.account(named: "home")
        #expect(work.generation == 3)
        #expect(home.generation == 2)
        #expect(work.tokens.refreshToken != nil && home.tokens.refreshToken != nil)
        #expect(try file.selectedAccount() == home.id)
        #expect(try file.connection.integerPragma("user_version") == Schema.newestVersion)
        #expect(try file.connection.isIntact())
        #expect(try Schema.migrator.ledgerIsRight(in: file.connection, upTo: Schema.newestVersion))
    }

    private static func backups(of vault: TemporaryVault) throws -> [String] {
        guard FileSystem.exists(BackupFolder(vault.location).path) else { return [] }
        return try FileManager.default.contentsOfDirectory(
            atPath: BackupFolder(vault.location).path
        )
    }

    @Test func anOldVaultIsMigratedAndItsCopyKept() async throws {
        try await withTemporaryFolder { folder in
            let vault = try TemporaryVault.old(in: folder)
            let old = bytes(of: vault.database)
            try Self.expectWhole(vault)
            let names = try Self.backups(of: vault)
            #expect(names.count == 1)
            let name = try #require(names.first)
            #expect(name.hasPrefix("migration-1-to-\(Schema.newestVersion)-2"))
            #expect(name.hasSuffix("Z.db"))
            let copy = BackupFolder(vault.location).path + "/" + name
            #expect(
                try FileSystem.status(of: BackupFolder(vault.location).path).permissions == 0o700
            )
            #expect(try FileSystem.status(of: copy).permissions == 0o600)
            // But for the counter of changes it is the old file, and a vault as that was.
            #expect(bytes(of: copy).count == old.count)
            #expect(bytes(of: copy).dropFirst(4096) == old.dropFirst(4096))
            let again = try TemporaryVault.old(in: folder + "/again")
            try write(bytes(of: copy), to: again.database)
            try Self.expectWhole(again)
            // Nothing more is done to a vault that is up to date.
            try Self.expectWhole(vault)
            #expect(try Self.backups(of: vault) == [name])
        }
    }

    @Test("a vault of the version before tags has none, and takes some")
    func versionThree() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.open().insert(Fixture.account("work"))
            let editor = try Editor(vault)
            try editor.run(
                """
                DROP TABLE activity;
                DROP INDEX account_client_due;
                DROP INDEX account_unknown_due;
                DROP INDEX account_grant_end;
                ALTER TABLE account DROP COLUMN grant_end_told;
                ALTER TABLE account DROP COLUMN grant_ends_at;
                ALTER TABLE client DROP COLUMN paid_until;
                ALTER TABLE vault DROP COLUMN clock_uptime;
                ALTER TABLE vault DROP COLUMN clock_wall;
                ALTER TABLE vault DROP COLUMN clock_boot;
                DROP INDEX account_standing;
                DROP TABLE account_tag;
                DELETE FROM schema_migration WHERE version > 3;
                PRAGMA user_version = 3
                """
            )
            #expect(try Schema.digest(of: editor.connection) == Schema.digest(ofVersion: 3))
            let file = try vault.open()
            #expect(try file.account(named: "work").settings.tags == [])
            #expect(try file.found("a") == [])
            #expect(try file.verify().findings == [])
            let name = try #require(try Self.backups(of: vault).first)
            #expect(name.hasPrefix("migration-3-to-"))
            _ = try file.setTags(["a"], of: "work")
            #expect(try file.found("a") == ["work"])
            #expect(try file.verify().findings == [])
        }
    }

    @Test func whoOnlyReadsMigratesToo() async throws {
        try await withTemporaryFolder { folder in
            let vault = try TemporaryVault.old(in: folder)
            let count = try VaultFile.read(vault.location) { try $0.accountCount() }
            #expect(count == 2)
            #expect(try Self.backups(of: vault).count == 1)
        }
    }

    @Test func ofManyAtOnceOneMigrates() async throws {
        try await withTemporaryFolder { folder in
            let vault = try TemporaryVault.old(in: folder)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let found = try VaultFile.read(vault.location) { try $0.accountCount() }
                        #expect(found == 2)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try Self.backups(of: vault).count == 1)
            try Self.expectWhole(vault)
        }
    }

    @Test func aRefreshInFlightIsWaitedFor() async throws {
        try await withTemporaryFolder { folder in
            let vault = try TemporaryVault.old(in: folder)
            let lock = try FileLock(path: vault.location.lock)
            #expect(try lock.tryLock(.account(1)))
            let opening = Task { try VaultFile.read(vault.location) { try $0.accountCount() } }
            let end = Uptime.seconds() + 10
            while try !lock.isHeldElsewhere(.maintenance), Uptime.seconds() < end {
                await Task.yield()
            }
            #expect(try lock.isHeldElsewhere(.maintenance))
            #expect(try Self.backups(of: vault).isEmpty)
            lock.unlock(.account(1))
            #expect(try await opening.value == 2)
            try Self.expectWhole(vault)
        }
    }

    /// Every file size at which the copy, the journal or the database may be growing.
    @Test(
        "F-07: killed at any point, the vault is old or new",
        arguments: [
            0, 1, 4096, 10_000, 20_000, 40_000, 60_000, 80_000, 100_000, 110_000, 120_000, 130_000,
        ] as [UInt]
    )
    func aKilledMigrationLeavesOldOrNew(_ limit: UInt) async throws {
        try await withTemporaryFolder { folder in
            let vault = try TemporaryVault.old(in: folder)
            _ = await #expect(processExitsWith: .failure) {
                [folder = folder as String, limit = limit as UInt] in
                dieWhenAFileGrows(past: limit)
                _ = try VaultFile(TemporaryVault(folder: folder).location)
                exit(7)
            }
            try Self.expectWhole(vault)
            #expect(try !Self.backups(of: vault).contains { $0.hasPrefix(".") })
        }
    }

    @Test func whereNoCopyCanBeMadeNothingIsMigrated() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            try inTemporaryFolder { folder in
                let vault = try TemporaryVault.old(in: folder)
                let old = bytes(of: vault.database)
                try withFileSizeLimit(8192) {
                    let error = try #require(throws: StoreError.self) {
                        try VaultFile(vault.location)
                    }
                    guard case .notMigrated(let version, _, let reason) = error else {
                        Issue.record(error)
                        return
                    }
                    #expect(version == 1)
                    #expect(reason.contains("I/O error"))
                }
                #expect(bytes(of: vault.database) == old)
                #expect(try Self.backups(of: vault).isEmpty)
                try Self.expectWhole(vault)
            }
        }
    }

    @Test func aDirectoryThatTakesNoFileSaysSo() async {
        await #expect(processExitsWith: .success) {
            becomeUnprivileged()
            try inTemporaryFolder { folder in
                let vault = try TemporaryVault.old(in: folder)
                let old = bytes(of: vault.database)
                chmod(vault.location.directory, 0o500)
                defer { chmod(vault.location.directory, 0o700) }
                let error = StoreError.notMigrated(
                    version: 1,
                    path: vault.location.lock,
                    reason: SystemError.accessDenied.description
                )
                #expect(throws: error) { try VaultFile(vault.location) }
                #expect(bytes(of: vault.database) == old)
            }
        }
    }

    @Test func aFileThatCannotBeWrittenSaysSo() async {
        await #expect(processExitsWith: .success) {
            becomeUnprivileged()
            try inTemporaryFolder { folder in
                let vault = try TemporaryVault.old(in: folder)
                let old = bytes(of: vault.database)
                chmod(vault.database, 0o400)
                let error = try #require(throws: StoreError.self) {
                    try VaultFile(vault.location)
                }
                guard case .notMigrated(version: 1, path: vault.database, _) = error else {
                    Issue.record(error)
                    return
                }
                #expect(bytes(of: vault.database) == old)
            }
        }
    }

    @Test func copiesAreNotMadeWhereOthersReadThem() async throws {
        try await withTemporaryFolder { folder in
            let vault = try TemporaryVault.old(in: folder)
            try FileSystem.makeDirectories(BackupFolder(vault.location).path)
            chmod(BackupFolder(vault.location).path, 0o755)
            let problem = PermissionProblem(
                path: BackupFolder(vault.location).path,
                found: .mode(0o755, wanted: 0o700)
            )
            #expect(throws: problem) { try VaultFile(vault.location) }
            chmod(BackupFolder(vault.location).path, 0o700)
            try Self.expectWhole(vault)
        }
    }

    @Test(arguments: [
        "UPDATE schema_migration SET checksum = zeroblob(32)",
        "UPDATE schema_migration SET name = 'another'",
        "DELETE FROM schema_migration",
        "INSERT INTO schema_migration VALUES (2, 'date_key_slots', zeroblob(32), 0)",
        "CREATE TRIGGER t AFTER UPDATE ON account BEGIN DELETE FROM spent_token; END",
        "ALTER TABLE key_slot ADD COLUMN changed_at INTEGER",
        "PRAGMA user_version = 2",
    ])
    func whatIsNotAsItsVersionLeftItIsNotMigrated(_ change: String) async throws {
        try await withTemporaryFolder { folder in
            let vault = try TemporaryVault.old(in: folder)
            try Editor(vault).run(change)
            let before = bytes(of: vault.database)
            #expect(throws: StoreError.tampered(.schema)) { try VaultFile(vault.location) }
            #expect(bytes(of: vault.database) == before)
            #expect(try Self.backups(of: vault).isEmpty)
        }
    }

    @Test func aDamagedFileIsNotMigrated() async throws {
        try await withTemporaryFolder { folder in
            let vault = try TemporaryVault.old(in: folder)
            // An index that says something else than its table: nothing but the check sees it.
            try Editor(vault).run(
                """
                UPDATE sqlite_schema SET rootpage = \
                (SELECT rootpage FROM sqlite_schema WHERE name = 'account_refresh_token') \
                WHERE name = 'account_due'
                """
            )
            let before = bytes(of: vault.database)
            #expect(throws: StoreError.damaged(path: vault.database)) {
                try VaultFile(vault.location)
            }
            #expect(bytes(of: vault.database) == before)
        }
    }
}

extension TemporaryVault {
    /// The vault of schema version 1 that the fixtures have.
    static func old(in folder: String) throws -> TemporaryVault {
        let vault = TemporaryVault(folder: folder)
        let parent = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        try FileSystem.makeDirectories(vault.location.directory)
        for (name, path) in [("db", vault.database), ("key", vault.keyFile)] {
            let content = bytes(of: "/\(parent)/Fixtures/schema-0001.\(name)")
            try FileSystem.writeNew(path, content.span)
        }
        return vault
    }
}
