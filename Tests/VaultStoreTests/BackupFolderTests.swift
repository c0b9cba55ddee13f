import FoundationEssentials
internal import Glibc
import Platform
import Testing
import VaultCrypto
import VaultSQLite

@testable import VaultStore

@Suite struct BackupFolderTests {
    private static let day: TimeInterval = 86_400

    private func withDailies(
        _ body: (TemporaryVault, VaultFile, BackupFolder) throws -> Void
    ) async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.account("work"))
            try body(vault, file, BackupFolder(vault.location))
        }
    }

    private func names(_ folder: BackupFolder) throws -> [String] {
        try folder.all().map { String($0.dropFirst(folder.path.count + 1)) }
    }

    @Test func oneADayAndAWeekOfThem() async throws {
        try await withDailies { _, file, folder in
            for hour in 0..<24 * 9 {
                let now = Fixture.now.addingTimeInterval(Double(hour) * 3600)
                let made = try folder.backUpDaily(file, now: now)
                #expect((made != nil) == (hour % 24 == 0))
            }
            let names = try names(folder)
            #expect(names.count == 7)
            #expect(names.first == "daily-20270117T080000Z.db")
            #expect(names.last == "daily-20270123T080000Z.db")
            #expect(try FileSystem.status(of: folder.path).permissions == 0o700)
        }
    }

    @Test func anEmptyVaultHasNone() async throws {
        try await withTemporaryVault { vault in
            let folder = BackupFolder(vault.location)
            let made = try folder.backUpDaily(vault.open(), now: Fixture.now)
            #expect(made == nil)
            #expect(try folder.all() == [])
        }
    }

    @Test func onlyDailiesArePruned() async throws {
        try await withDailies { _, file, folder in
            let first = try folder.backUpDaily(file, now: Fixture.now)
            let others = [
                "daily-20200101T000000Z-mine.db", "restore-20200101T000000Z.db", "daily.db",
                "migration-1-to-2-20200101T000000Z.db", "daily-2020.db",
            ]
            for name in others { try write([1], to: folder.path + "/" + name) }
            for day in 1...10 {
                let now = Fixture.now.addingTimeInterval(Double(day) * Self.day)
                _ = try folder.backUpDaily(file, now: now)
            }
            #expect(try Set(names(folder)).isSuperset(of: others))
            #expect(try names(folder).count == 7 + others.count)
            #expect(FileSystem.exists(first ?? "") == false)
        }
    }

    @Test func aClockThatWasWrongStopsNothing() async throws {
        try await withDailies { _, file, folder in
            let (now, day) = (Fixture.now, Self.day)
            _ = try folder.backUpDaily(file, now: now)
            // Set forward by ten years, and back.
            #expect(try folder.backUpDaily(file, now: now.addingTimeInterval(3650 * day)) != nil)
            #expect(try folder.backUpDaily(file, now: now.addingTimeInterval(3600)) == nil)
            for index in 1...7 {
                let later = now.addingTimeInterval(Double(index) * day)
                #expect(try folder.backUpDaily(file, now: later) != nil)
            }
            // The one of a time to come went first.
            #expect(try names(folder).allSatisfy { $0 < "daily-2028" })
            #expect(try names(folder).count == 7)
        }
    }

    @Test func aDamagedVaultPushesOutNoGoodBackup() async throws {
        try await withDailies { vault, file, folder in
            _ = try folder.backUpDaily(file, now: Fixture.now)
            try Editor(vault).setBox("tokens_box", of: "work", to: [0])
            #expect(throws: StoreError.self) {
                try folder.backUpDaily(file, now: Fixture.now.addingTimeInterval(2 * Self.day))
            }
            #expect(try names(folder) == ["daily-20270115T080000Z.db"])
        }
    }

    @Test func backupsThatHoldWhatWasRemovedAreNamedAndErased() async throws {
        try await withDailies { vault, file, folder in
            let id = try #require(try file.identifier(of: "work"))
            let old = try #require(try folder.backUpDaily(file, now: Fixture.now))
            let editor = try Editor(vault)
            let commitment = try editor.blob("SELECT commitment FROM key_slot")
            let rootCheck = try editor.blob("SELECT root_check FROM vault")
            try file.remove("work")
            _ = try file.insert(Fixture.account("home"))
            let later = Fixture.now.addingTimeInterval(2 * Self.day)
            let new = try #require(try folder.backUpDaily(file, now: later))
            #expect(try folder.holding(account: id).holding == [old])
            #expect(try folder.holding(slotCommitment: commitment).holding == [old, new])
            #expect(try folder.holding(slotCommitment: [1]) == .init())
            #expect(try folder.holding(rootCheck: rootCheck).holding == [old, new])
            try folder.purge([old, vault.database])
            #expect(try folder.all() == [new])
            #expect(FileSystem.exists(vault.database))
        }
    }

    @Test func backupsThatCannotBeReadAreNamedApart() async throws {
        try await withDailies { _, file, folder in
            let id = try #require(try file.identifier(of: "work"))
            let good = try #require(try folder.backUpDaily(file, now: Fixture.now))
            let noDatabase = folder.path + "/daily-20000101T000000Z.db"
            try write(Array("no database at all, whatever its name".utf8), to: noDatabase)
            #expect(chmod(noDatabase, 0o600) == 0)
            let ofOthers = folder.path + "/daily-20000102T000000Z.db"
            try file.backup(to: ofOthers)
            #expect(chmod(ofOthers, 0o644) == 0)
            let link = folder.path + "/daily-20000103T000000Z.db"
            #expect(symlink(good, link) == 0)
            let found = try folder.holding(account: id)
            #expect(found.holding == [good])
            #expect(found.unreadable == [noDatabase, ofOthers, link])
        }
    }
}
