import FoundationEssentials
internal import Glibc
import Platform
import Testing
import VaultCrypto
import VaultSQLite

@testable import VaultStore

@Suite struct BackupTests {
    @Test func aBackupIsOneFileThatOpensLikeTheVault() async throws {
        try await withTemporaryVault { vault in
            let accounts = try vault.fill()
            let file = try vault.open()
            let before = bytes(of: vault.database)
            let report = try file.backup(to: vault.copy)
            #expect(report.isSound)
            #expect(report.wasUnlocked)
            #expect(report.accounts == 3)
            let status = try FileSystem.status(of: vault.copy)
            #expect(status.permissions == 0o600)
            #expect(status.links == 1)
            #expect(try vault.otherFiles() == ["vault", "vault.key", "copy.db"])
            #expect(bytes(of: vault.database) == before)
            let copy = try VaultCopy(vault.copy, beside: vault.location)
            try copy.file.unlock(with: .keyFileAt(path: vault.keyFile))
            for (name, account) in accounts {
                #expect(try copy.file.account(named: name) == account)
            }
        }
    }

    @Test func whileTheVaultIsLockedOnlyTheShapeIsChecked() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.fill()
            let report = try VaultFile(vault.location).backup(to: vault.copy)
            #expect(report.isSound)
            #expect(!report.wasUnlocked)
        }
    }

    @Test func anExistingFileIsLeftAlone() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            try write([1, 2, 3], to: vault.copy)
            #expect(throws: StoreError.fileExists(path: vault.copy)) {
                try file.backup(to: vault.copy)
            }
            #expect(bytes(of: vault.copy) == [1, 2, 3])
            #expect(throws: StoreError.fileExists(path: vault.database)) {
                try file.backup(to: vault.database)
            }
        }
    }

    @Test func aDamagedVaultIsBackedUpOnlyWhenAskedTo() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.fill()
            try Editor(vault).setBox("tokens_box", of: "work", to: [0])
            let file = try vault.open()
            #expect(throws: StoreError.self) { try file.backup(to: vault.copy) }
            #expect(!FileSystem.exists(vault.copy))
            #expect(try !file.backup(to: vault.copy, mayBeDamaged: true).isSound)
            #expect(FileSystem.exists(vault.copy))
        }
    }

    @Test func aPlaceThatTakesNoFileLeavesNothingBehind() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            for path in ["\(vault.folder)/none/copy.db", "/proc/copy.db"] {
                #expect(throws: StoreError.self) { try file.backup(to: path) }
            }
            #expect(try vault.otherFiles() == ["vault", "vault.key"])
        }
    }

    /// A limit on the size of files ends the copy as a full disk does.
    @Test("faults F-07: what does not fit is not there afterwards")
    func aDiskThatIsFullLeavesNothingBehind() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            for index in 0..<40 {
                let name = try #require(AccountName("account-\(index)"))
                _ = try file.insert(Fixture.account(name))
            }
            await #expect(processExitsWith: .exitCode(7)) { [folder = vault.folder as String] in
                let vault = TemporaryVault(folder: folder)
                let file = try vault.open()
                signal(SIGXFSZ, SIG_IGN)
                var size = rlimit(rlim_cur: 60_000, rlim_max: 60_000)
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &size)
                do {
                    try file.backup(to: vault.copy)
                } catch {
                    exit(7)
                }
            }
            #expect(try vault.otherFiles() == ["vault", "vault.key"])
        }
    }

    @Test("faults F-07: what a killed backup left is cleared away by the next")
    func leftoversGo() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.fill()
            await #expect(processExitsWith: .signal(SIGXFSZ)) {
                [folder = vault.folder as String] in
                let vault = TemporaryVault(folder: folder)
                let file = try vault.open()
                dieWhenAFileGrows(past: 20_000)
                try file.backup(to: vault.copy)
            }
            let left = try vault.files().filter { $0.hasPrefix(".copy-") }
            #expect(!left.isEmpty)
            #expect(!FileSystem.exists(vault.copy))
            let file = try vault.open()
            // One that is at work is not touched.
            let other = try PrivateCopy(in: vault.folder)
            try file.backup(to: vault.copy)
            #expect(FileSystem.exists(other.location.directory))
            #expect(
                try vault.files().filter { $0.hasPrefix(".copy-") }.allSatisfy {
                    (vault.folder + "/" + $0).hasPrefix(other.location.directory)
                }
            )
        }
    }

    @Test("security 55: what others write meanwhile is in the copy wholly or not at all")
    func aCopyIsOfOneMoment() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.account("a", grant: "a-0"))
            _ = try file.insert(Fixture.account("b", grant: "b-0"))
            let store = try vault.openStore()
            async let writing: Void = {
                for round in 1...30 {
                    try await store.refresh("a", to: "a-\(round)")
                    try await store.refresh("b", to: "b-\(round)")
                }
            }()
            for index in 0..<10 {
                let path = "\(vault.copy)-\(index)"
                let report = try file.backup(to: path)
                #expect(report.isSound)
                let copy = try VaultCopy(path, beside: vault.location)
                try copy.file.unlock(with: .keyFileAt(path: vault.keyFile))
                let (a, b) = (
                    try copy.file.account(named: "a"), try copy.file.account(named: "b")
                )
                #expect(a.generation == b.generation || a.generation == b.generation + 1)
            }
            try await writing
        }
    }
}

extension TemporaryVault {
    /// A place for a copy, beside the vault's directory.
    var copy: String { folder + "/copy.db" }

    /// Everything but what a vault has in its directory.
    func otherFiles() throws -> Set<String> {
        try files().filter { !$0.hasPrefix("vault/vault.") }
    }
}
