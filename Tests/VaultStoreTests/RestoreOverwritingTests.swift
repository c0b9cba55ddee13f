import FoundationEssentials
internal import Glibc
import Platform
import Testing
import VaultCrypto
import VaultSQLite

@testable import VaultStore

/// How a restore takes the place of a vault that others use.
@Suite struct RestoreOverwritingTests {
    @Test func whatIsStoredWhileARestoreRunsIsSomewhereAfterwards() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            for number in 0..<150 {
                let name = try #require(AccountName("account-\(number)"))
                _ = try file.insert(Fixture.account(name))
            }
            try file.backup(to: vault.copy)
            let stored = Locked<[AccountName]>([])
            let isOver = Locked(false)
            let ended = Locked(false)
            try DedicatedThread.start {
                Self.insertUntil(isOver, in: vault, noting: stored)
                ended.withLock { $0 = true }
            }
            let report = try vault.restore(vault.copy, limit: 30)
            let before = stored.withLock { $0 }
            isOver.withLock { $0 = true }
            while !ended.withLock({ $0 }) { Pause.milliseconds(5) }
            let now = try vault.open()
            let kept = try VaultCopy(try #require(report.keptAt), beside: vault.location)
            try kept.file.unlock(with: .keyFileAt(path: vault.keyFile))
            let lost = before.filter { name in
                (try? now.account(named: name)) == nil
                    && (try? kept.file.account(named: name)) == nil
            }
            #expect(lost == [])
        }
    }

    private static func insertUntil(
        _ isOver: borrowing Locked<Bool>,
        in vault: TemporaryVault,
        noting stored: borrowing Locked<[AccountName]>
    ) {
        for number in 0..<10_000 where !isOver.withLock({ $0 }) {
            guard let name = AccountName("late-\(number)"), let file = try? vault.open(),
                (try? file.insert(Fixture.account(name))) != nil
            else { continue }
            stored.withLock { $0.append(name) }
        }
    }

    @Test func everyRowOfEveryTableIsTheCopys() async throws {
        try await withTemporaryVault { vault in
            let store = try vault.openStore()
            _ = try await store.insert(Fixture.account("work", grant: "work-1"))
            try await store.refresh("work", to: "work-2")
            _ = try await store.insert(Fixture.account("gone"))
            let file = try vault.open()
            try file.remove("gone")
            try file.backup(to: vault.copy)
            for name in ["a", "b", "c"] as [AccountName] {
                _ = try file.insert(Fixture.account(name))
            }
            let source = try Connection(path: vault.copy, mode: .readWrite)
            try file.write {
                try RowReplacement(source: source, target: file.connection).run()
            }
            for table in [
                "account", "activity", "key_slot", "received_token", "schema_migration",
                "spent_token",
                "sqlite_sequence", "vault",
            ] {
                #expect(
                    try rows(of: table, in: source) == rows(of: table, in: file.connection),
                    "\(table)"
                )
            }
            #expect(try vault.open().verify().findings == [])
        }
    }

    private func rows(of table: String, in connection: Connection) throws -> [[[UInt8]]] {
        var select = try connection.prepare("SELECT * FROM \"\(table)\"")
        var rows: [[[UInt8]]] = []
        while try select.step() {
            rows.append((0..<select.columnCount).map { select.blob(at: $0) })
        }
        return rows
    }

    @Test func nothingOfTheOldVaultStaysBesideIt() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            try file.backup(to: vault.copy)
            // Its name stays in the log.
            let id = try file.insert(Fixture.account("work")).id.bytes
            let report = try vault.restore(vault.copy)
            let stays = bytes(of: vault.database).contains(sequence: id)
            #expect(!stays)
            #expect(bytes(of: vault.journal) == [])
            let isKept = bytes(of: try #require(report.keptAt)).contains(sequence: id)
            #expect(isKept)
        }
    }

    /// After every sync that fails: an error means the old vault, and none the new one.
    @Test func aRestoreOfAnotherVaultIsConfirmedWhereItsCommitIsUnknown() async {
        await #expect(processExitsWith: .success) {
            FaultyDisk.install()
            for skipped in 0..<16 {
                try inTemporaryFolder { folder in
                    let vault = TemporaryVault(folder: folder)
                    try vault.create()
                    try vault.open().backup(to: vault.copy)
                    let path = folder + "/second"
                    try FileSystem.makeNewDirectory(path)
                    let other = TemporaryVault(folder: path)
                    try other.create()
                    _ = try other.open().insert(Fixture.account("here"))
                    let copy = try VaultCopy(vault.copy, beside: other.location)
                    try copy.file.unlock(with: .keyFileAt(path: vault.keyFile))
                    var options = VaultCopy.Options()
                    options.replacesOther = true
                    FaultyDisk.set(
                        FaultyDisk.Fault(
                            call: .sync,
                            skipped: skipped,
                            code: FaultyDisk.syncError
                        )
                    )
                    let report = try? copy.restore(
                        into: other.location,
                        options: options,
                        now: Fixture.now
                    )
                    FaultyDisk.heal()
                    let count = try VaultFile(other.location).accountCount()
                    #expect(count == (report == nil ? 1 : 0), "sync \(skipped)")
                }
            }
        }
    }

    /// After every read that fails: the old vault, or what one attempt would have made of it.
    @Test func anAttemptThatIsRepeatedBeginsWithTheCopyThatWasGiven() async {
        await #expect(processExitsWith: .success) {
            FaultyDisk.install()
            for skipped in stride(from: 0, to: 150, by: 3) {
                try inTemporaryFolder { folder in
                    let vault = TemporaryVault(folder: folder)
                    try vault.create()
                    let file = try vault.open()
                    let first = try file.insert(Fixture.account("work", grant: "work-1"))
                    try file.backup(to: vault.copy)
                    let claim = try file.claim(first, intent: Fixture.intent([1]))
                    _ = try file.install(Fixture.pair("work-2"), for: claim)
                    FaultyDisk.set(
                        FaultyDisk.Fault(call: .read, skipped: skipped, code: FaultyDisk.readError)
                    )
                    let report = try? vault.restore(vault.copy)
                    FaultyDisk.heal()
                    let generation = try vault.open().account(named: "work").generation
                    #expect(generation == (report == nil ? 2 : 3), "read \(skipped)")
                    let copies = try BackupFolder(vault.location).all().count
                    #expect(copies == (report == nil ? copies : 1), "read \(skipped)")
                }
            }
        }
    }

    @Test func aVaultWithADamagedPageIsReplacedWhole() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.account("work"))
            try file.backup(to: vault.copy)
            let damaged =
                bytes(of: vault.database).dropLast(4096) + Array(repeating: 0xff, count: 4096)
            try FileSystem.remove(vault.database)
            try FileSystem.writeNew(vault.database, Array(damaged).span)
            let report = try vault.restore(vault.copy)
            #expect(report.accounts.map(\.state) == [.verifyBeforeUse])
            #expect(bytes(of: try #require(report.keptAt)) == Array(damaged))
            #expect(try vault.open().verify().findings == [])
        }
    }

    @Test func theJournalOfADamagedVaultIsKeptWithIt() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.account("work"))
            try file.backup(to: vault.copy)
            // SQLite plays nothing back into what is no database.
            try FileSystem.remove(vault.database)
            try FileSystem.writeNew(vault.database, [UInt8](repeating: 0xff, count: 8192).span)
            try FileSystem.remove(vault.journal)
            let journal = [UInt8](repeating: 7, count: 4096)
            try FileSystem.writeNew(vault.journal, journal.span)
            let kept = try #require(try vault.restore(vault.copy).keptAt)
            #expect(bytes(of: kept).first == 0xff)
            #expect(bytes(of: kept + "-journal") == journal)
            #expect(try vault.open().verify().findings == [])
        }
    }
}
