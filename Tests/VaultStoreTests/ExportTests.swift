import FoundationEssentials
import Glibc
import OAuth
import Platform
import Testing
import VaultCrypto

@testable import VaultStore

/// What a vault hands out of itself.
@Suite struct ExportTests {
    static let cost = PassphraseCost(passes: 1, memory: 8 << 20)
    static let passphrase = Secret("export passphrase")

    @Test func everyPartOfAnAccountGoesAlong() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let stored = try file.insert(Fixture.fullAccount("work"))
            _ = try file.insert(Fixture.account("home"))
            let now = Fixture.moment.advanced(by: 100)
            let export = try file.export(at: now)
            #expect(export.source == file.vaultID)
            #expect(export.exported == now.wall)
            #expect(!export.isMove)
            #expect(export.accounts.map(\.name) == ["home", "work"])
            let work = try #require(export.accounts.last)
            #expect(work.id == stored.id)
            #expect(work.generation == stored.generation)
            #expect(work.settings == stored.settings)
            var expected = stored.tokens
            for index in expected.accessTokens.indices {
                let wall = expected.accessTokens[index].obtained.wall
                expected.accessTokens[index].obtained = Moment(wall: wall, bootID: "", uptime: 0)
            }
            #expect(work.tokens == expected)
            #expect(try AccountExport(decoding: export.encoded) == export)
        }
    }

    /// Somebody set the wall clock back by an hour since the token came.
    @Test func lifetimesAreTurnedIntoTheWallClocks() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.account("work"))
            let now = Moment(
                wall: Fixture.now.addingTimeInterval(-3600),
                bootID: Fixture.moment.bootID,
                uptime: Fixture.moment.uptime + 600
            )
            let token = try #require(try file.export(at: now).accounts.first?.tokens.defaultToken)
            let elsewhere = Moment(wall: now.wall, bootID: "another boot", uptime: 5)
            #expect(token.secondsLeft(at: elsewhere) == 3000)
        }
    }

    @Test func onlyTheAccountsNamedGo() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            for name in ["a", "b", "c"] as [AccountName] {
                _ = try file.insert(Fixture.account(name))
            }
            let export = try file.export(["c", "a", "c"], at: Fixture.moment)
            #expect(export.accounts.map(\.name) == ["c", "a"])
            #expect(throws: StoreError.noSuchAccount("d")) {
                try file.export(["a", "d"], at: Fixture.moment)
            }
        }
    }

    /// A refresh that nobody saw the end of may have spent the token.
    @Test func aTokenInDoubtGoesOutInDoubt() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let account = try file.insert(Fixture.account("work"))
            _ = try file.claim(account, intent: Fixture.intent([UInt8](repeating: 1, count: 32)))
            let exported = try #require(try file.export(at: Fixture.moment).accounts.first)
            #expect(exported.tokens.hold?.reason == .restored)
            #expect(exported.state == .verifyBeforeUse)
            #expect(try file.account(named: "work").tokens.hold == nil)
        }
    }

    @Test func theFileIsItsOwnersAloneAndOpensWithItsPassphrase() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.fullAccount("work"))
            let path = vault.folder + "/out"
            let export = try export(file, to: path)
            let status = try FileSystem.status(of: path)
            #expect(status.permissions == 0o600)
            #expect(status.kind == .regular)
            let text = bytes(of: path)
            for secret in ["refresh-work", "access-work", "narrow", "a secret", "work"] {
                #expect(!text.contains(sequence: Array(secret.utf8)))
            }
            let read = try ExportFile.accounts(in: ExportFile.read(path)) { Self.passphrase }
            #expect(read == export)
            #expect(throws: StoreError.export(.wrongPassphrase)) {
                try ExportFile.accounts(in: text) { Secret("another") }
            }
            #expect(try vault.files().filter { $0.contains(".new") } == [])
        }
    }

    /// K01.
    @Test func twoFilesOfOnePassphraseDiffer() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.account("work"))
            let paths = ["one", "two"].map { "\(vault.folder)/\($0)" }
            for path in paths { try export(file, to: path) }
            let texts = paths.map { bytes(of: $0) }
            #expect(texts[0] != texts[1])
            #expect(texts[0].count == texts[1].count)
        }
    }

    @Test(arguments: [false, true])
    func nothingIsReplaced(isMove: Bool) async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.account("work"))
            let path = vault.folder + "/out"
            try write(Array("mine".utf8), to: path)
            #expect(throws: StoreError.fileExists(path: path)) {
                try export(file, moving: isMove, to: path)
            }
            #expect(bytes(of: path) == Array("mine".utf8))
            #expect(try file.account(named: "work").health.state == .active)
            #expect(try vault.files().filter { $0.contains(".new") } == [])
        }
    }

    // MARK: - Moving

    @Test func aMovePausesTheAccountsHere() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.account("work"))
            _ = try file.insert(Fixture.account("home"))
            let export = try export(file, ["work"], moving: true, to: vault.folder + "/out")
            #expect(export.isMove)
            #expect(export.accounts.map(\.tokens.hold) == [nil])
            let work = try file.account(named: "work")
            #expect(work.health.state == .paused)
            #expect(work.health.due == nil)
            #expect(work.tokens.hold == Hold(reason: .moved, since: Fixture.now))
            #expect(work.tokens.refreshToken == Secret("refresh-work"))
            #expect(try file.account(named: "home").health.state == .active)
            #expect(try file.due(before: .distantFuture, limit: 9).map(\.name) == ["home"])
        }
    }

    /// Where a move was cut short it is repeated.
    @Test func whatIsPausedCanBeMovedAgain() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.account("work"))
            let first = try export(file, moving: true, to: vault.folder + "/one")
            let second = try export(file, moving: true, to: vault.folder + "/two")
            #expect(first.accounts == second.accounts)
            // A copy says that the account is not used here.
            #expect(try file.export(at: Fixture.moment).accounts.first?.state == .paused)
        }
    }

    @Test func whatMayBeSpentIsNotMoved() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            var account = Fixture.account("work")
            account.tokens.hold = Hold(reason: .restored, since: Fixture.now)
            _ = try file.insert(account)
            #expect(throws: StoreError.unverified("work")) {
                try export(file, moving: true, to: vault.folder + "/out")
            }
            #expect(try file.account(named: "work").health.state == .verifyBeforeUse)
            #expect(!FileSystem.exists(vault.folder + "/out"))
        }
    }

    @Test func aMoveWaitsForTheRefreshInFlight() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let account = try file.insert(Fixture.account("work"))
            let lock = try FileLock(path: vault.location.lock)
            #expect(try lock.tryLock(.account(account.number)))
            #expect(throws: StoreError.inUse) {
                try VaultFile.withoutRefreshes(of: vault.location, limit: 0.05) {}
            }
            lock.unlock(.account(account.number))
            try export(file, moving: true, to: vault.folder + "/out")
            #expect(try !lock.isHeldElsewhere(.allAccounts))
            #expect(try !lock.isHeldElsewhere(.maintenance))
        }
    }

    /// The directory takes no file: nothing was handed over, and nothing is paused.
    @Test func aFileThatCannotBeWrittenLeavesTheAccountsInUse() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.account("work"))
            let path = vault.folder + "/none/out"
            #expect(throws: StoreError.file(path: path, .notFound)) {
                try export(file, moving: true, to: path)
            }
            let work = try file.account(named: "work")
            #expect(work.health.state == .active)
            #expect(work.health.due == Fixture.health.due)
        }
    }

    /// The name is taken between pausing and renaming.
    @Test func aRenameThatFailsResumesTheAccounts() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let before = try file.insert(Fixture.account("work"))
            let path = vault.folder + "/out"
            #expect(throws: StoreError.fileExists(path: path)) {
                try file.move(nil, to: path, Self.passphrase, Self.cost, at: Fixture.moment) {
                    #expect(try vault.open().account(named: "work").health.state == .paused)
                    try write([1], to: path)
                }
            }
            #expect(try file.account(named: "work") == before)
            #expect(bytes(of: path) == [1])
            #expect(try vault.files().filter { $0.contains(".new") } == [])
        }
    }

    /// The syncs of a move, one after another: what it says is what the vault says.
    @Test func aMoveThatSaysItFailedLeavesTheAccountsAsTheyWere() async {
        await #expect(processExitsWith: .success) {
            FaultyDisk.install()
            for skipped in 0..<20 {
                for code in [FaultyDisk.syncError, FaultyDisk.fullDisk] {
                    try inTemporaryFolder { folder in
                        let vault = TemporaryVault(folder: folder)
                        try vault.create()
                        let file = try vault.open()
                        _ = try file.insert(Fixture.account("work"))
                        let fault = FaultyDisk.Fault(call: .sync, skipped: skipped, code: code)
                        FaultyDisk.set(fault)
                        let moved = try? file.export(
                            moving: true,
                            to: folder + "/export",
                            passphrase: Secret("a passphrase"),
                            cost: .cheap,
                            at: Fixture.moment
                        )
                        FaultyDisk.heal()
                        let state = try vault.open().account(named: "work").health.state
                        #expect(state == (moved == nil ? .active : .paused), "sync \(skipped)")
                        #expect(FileSystem.exists(folder + "/export") == (moved != nil))
                    }
                }
            }
        }
    }

    /// Neither the file nor the vault can be written once the accounts are paused.
    @Test func whatCannotBeResumedIsSaidToBePaused() async {
        await #expect(processExitsWith: .success) {
            FaultyDisk.install()
            try inTemporaryFolder { folder in
                let vault = TemporaryVault(folder: folder)
                try vault.create()
                let file = try vault.open()
                _ = try file.insert(Fixture.account("work"))
                let path = folder + "/export"
                #expect(throws: StoreError.leftPaused(path: path)) {
                    try file.move(
                        nil,
                        to: path,
                        Secret("a passphrase"),
                        .cheap,
                        at: Fixture.moment
                    ) {
                        let code = FaultyDisk.writeError
                        FaultyDisk.set(FaultyDisk.Fault(call: .write, times: 1000, code: code))
                        throw SystemError.exists
                    }
                }
                FaultyDisk.heal()
                #expect(try vault.open().account(named: "work").health.state == .paused)
                #expect(!FileSystem.exists(path))
            }
        }
    }

    @Test func whatAKilledExportLeftGoesWithTheNext() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.account("work"))
            let path = vault.folder + "/out"
            let leftovers = ["0123456789abcdef", "fedcba9876543210"].map { "\(path).\($0).new" }
            let others = [
                "\(path).0123456789abcde.new", "\(path).0123456789abcdeg.new", "\(path).new",
                "\(path)2.0123456789abcdef.new", "\(path).0123456789abcdef",
                "\(path).0123456789abcdef.new.db",
            ]
            for name in leftovers + others { try FileSystem.writeNew(name, [UInt8]().span) }
            let shared = "\(path).1111111111111111.new"
            try FileSystem.writeNew(shared, [UInt8]().span)
            #expect(chmod(shared, 0o644) == 0)
            let link = "\(path).2222222222222222.new"
            #expect(symlink(others[0], link) == 0)
            #expect(throws: (any Error).self) {
                try file.move(nil, to: path, Self.passphrase, Self.cost, at: Fixture.moment) {
                    for name in leftovers { #expect(!FileSystem.exists(name)) }
                    throw SystemError.exists
                }
            }
            for name in others + [shared, link] { #expect(FileSystem.exists(name), "\(name)") }
        }
    }

    /// As a shell hands over the output of another program.
    @Test func aPipeIsReadToItsEnd() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.account("work"))
            let export = try export(file, to: vault.folder + "/out")
            let text = bytes(of: vault.folder + "/out")
            let pipe = vault.folder + "/pipe"
            #expect(mkfifo(pipe, 0o600) == 0)
            try DedicatedThread.start {
                let descriptor = open(pipe, O_WRONLY | O_CLOEXEC)
                defer { close(descriptor) }
                for part in [text[..<100], text[100...]] {
                    Pause.milliseconds(5)
                    _ = part.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                }
            }
            let read = try ExportFile.read(pipe)
            #expect(read == text)
            #expect(try ExportFile.accounts(in: read) { Self.passphrase } == export)
        }
    }

    @discardableResult
    private func export(
        _ file: VaultFile,
        _ names: [AccountName]? = nil,
        moving isMove: Bool = false,
        to path: String
    ) throws -> AccountExport {
        try file.export(
            names,
            moving: isMove,
            to: path,
            passphrase: Self.passphrase,
            cost: Self.cost,
            at: Fixture.moment
        )
    }
}
