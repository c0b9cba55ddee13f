import FoundationEssentials
internal import Glibc
import Platform
import Testing
import VaultCrypto

@testable import VaultStore

@Suite struct VaultCreationTests {
    @Test func aVaultIsADirectoryAFileAndAKeyOutside() async throws {
        try await withTemporaryVault { vault in
            #expect(try vault.files() == ["vault", "vault/vault.db", "vault.key"])
            #expect(bytes(of: vault.keyFile).count == 32)
            let file = try vault.open()
            #expect(try file.accountCount() == 0)
        }
    }

    @Test(arguments: [0o000, 0o022, 0o077, 0o777] as [mode_t])
    func everythingIsPrivateWhateverTheUmask(_ mask: mode_t) async {
        await #expect(processExitsWith: .success) { [mask = mask as mode_t] in
            becomeUnprivileged()
            try inTemporaryFolder { folder in
                umask(mask)
                let vault = TemporaryVault(folder: folder + "/above/it")
                let keyFile = folder + "/keys/of/vault.key"
                _ = try VaultFile.create(vault.location, keyFile: keyFile, now: Fixture.now)
                let file = try VaultFile(vault.location)
                try file.unlock(with: .keyFile)
                _ = try file.insert(Fixture.account("work"))
                _ = try FileLock(path: vault.location.lock)
                for name in ["above", "above/it", "above/it/vault", "keys", "keys/of"] {
                    #expect(try FileSystem.status(of: "\(folder)/\(name)").permissions == 0o700)
                }
                for path in [vault.database, vault.journal, vault.location.lock, keyFile] {
                    #expect(try FileSystem.status(of: path).permissions == 0o600)
                }
            }
        }
    }

    @Test func aSecondOneIsRefusedAndTheFirstStays() async throws {
        try await withTemporaryVault { vault in
            let before = bytes(of: vault.database)
            for keyFile in [vault.keyFile, vault.folder + "/other.key"] {
                #expect(throws: StoreError.vaultExists(path: vault.database)) {
                    try VaultFile.create(vault.location, keyFile: keyFile, now: Fixture.now)
                }
            }
            #expect(bytes(of: vault.database) == before)
            #expect(try vault.files() == ["vault", "vault/vault.db", "vault.key"])
            _ = try vault.open()
        }
    }

    @Test func ofManyAtOnceOneIsMade() async throws {
        try await withTemporaryFolder { folder in
            let vault = TemporaryVault(folder: folder)
            let made = await withTaskGroup(of: String?.self) { group in
                for index in 0..<4 {
                    group.addTask {
                        let keyFile = "\(folder)/\(index).key"
                        return try? VaultFile.create(
                            vault.location,
                            keyFile: keyFile,
                            now: Fixture.now
                        )
                    }
                }
                return await group.reduce(into: [String]()) { $0 += $1.map { [$0] } ?? [] }
            }
            #expect(made.count == 1)
            let file = try VaultFile(vault.location)
            try file.unlock(with: .keyFile)
            #expect(file.isUnlocked)
        }
    }

    @Test(arguments: [0, 10, 31, 32, 100, 5000, 20_000] as [UInt])
    func aKilledCreationIsInNobodysWay(_ limit: UInt) async throws {
        try await withTemporaryFolder { folder in
            let vault = TemporaryVault(folder: folder)
            await #expect(processExitsWith: .signal(SIGXFSZ)) {
                [folder = folder as String, limit = limit as UInt] in
                dieWhenAFileGrows(past: limit)
                try TemporaryVault(folder: folder).create()
            }
            #expect(throws: StoreError.noVault(path: vault.location.directory)) {
                try VaultFile(vault.location)
            }
            try vault.create()
            _ = try vault.open().insert(Fixture.account("work"))
        }
    }

    @Test(arguments: [
        "vault/vault.key", "vault/deeper/vault.key", "vault/../vault/vault.key",
        "other/../vault/vault.key", "link/vault.key", "link/deeper/vault.key", "vault//vault.key",
        "./vault/./vault.key", "nowhere/../vault/vault.key", "nowhere/at/all/../../../vault/k.key",
        "nowhere/../link/vault.key",
    ])
    func aKeyFileInsideTheVaultIsRefused(_ name: String) async throws {
        try await withTemporaryFolder { folder in
            for directory in ["vault", "other"] {
                try FileSystem.makeDirectories("\(folder)/\(directory)")
            }
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/link",
                withDestinationPath: folder + "/vault"
            )
            let before = try TemporaryVault(folder: folder).files()
            let keyFile = "\(folder)/\(name)"
            for directory in ["vault", "vault/", "link", "other/../vault"] {
                #expect(throws: StoreError.keyFileInsideVault(path: keyFile)) {
                    try VaultFile.create(
                        VaultLocation(directory: "\(folder)/\(directory)"),
                        keyFile: keyFile,
                        now: Fixture.now
                    )
                }
            }
            #expect(try TemporaryVault(folder: folder).files() == before)
        }
    }

    @Test func aDirectoryWhoseNameGoesOnIsOutside() async throws {
        try await withTemporaryFolder { folder in
            let vault = TemporaryVault(folder: folder)
            let keyFile = folder + "/vault-keys/vault.key"
            _ = try VaultFile.create(vault.location, keyFile: keyFile, now: Fixture.now)
            try VaultFile(vault.location).unlock(with: .keyFile)
        }
    }

    @Test func theJournalOfAnotherVaultIsNotTakenOver() async throws {
        try await withTemporaryFolder { folder in
            let vault = TemporaryVault(folder: folder)
            try FileSystem.makeDirectories(vault.location.directory)
            try FileSystem.writeNew(vault.journal, [1, 2, 3].span)
            #expect(throws: StoreError.vaultExists(path: vault.journal)) { try vault.create() }
            #expect(bytes(of: vault.journal) == [1, 2, 3])
        }
    }

    @Test func theDefaultKeyFileIsNamedAfterTheVault() async {
        await #expect(processExitsWith: .success) {
            try inTemporaryFolder { folder in
                let location = TemporaryVault(folder: folder).location
                unsetenv("XDG_STATE_HOME")
                unsetenv("HOME")
                #expect(throws: StoreError.noPlaceForKeyFile) {
                    try VaultFile.create(location, keyFile: nil, now: Fixture.now)
                }
                setenv("XDG_STATE_HOME", folder + "/state", 1)
                let path = try VaultFile.create(location, keyFile: nil, now: Fixture.now)
                let file = try VaultFile(location)
                #expect(path == "\(folder)/state/vault/\(file.vaultID.text).key")
                try file.unlock(with: .keyFile)
            }
        }
    }

    @Test func anExistingKeyFileIsUsedAsItIs() async throws {
        try await withTemporaryFolder { folder in
            let vault = TemporaryVault(folder: folder)
            let key = [UInt8](repeating: 7, count: 32)
            try FileSystem.writeNew(vault.keyFile, key.span)
            try vault.create()
            #expect(bytes(of: vault.keyFile) == key)
            _ = try vault.open()
        }
    }

    @Test(arguments: [0, 31, 33])
    func aFileThatIsNoKeyIsNotOverwritten(_ count: Int) async throws {
        try await withTemporaryFolder { folder in
            let vault = TemporaryVault(folder: folder)
            let content = [UInt8](repeating: 7, count: count)
            try FileSystem.writeNew(vault.keyFile, content.span)
            #expect(throws: StoreError.locked(.keyFileMalformed(path: vault.keyFile))) {
                try vault.create()
            }
            #expect(bytes(of: vault.keyFile) == content)
            #expect(!FileSystem.exists(vault.database))
        }
    }
}
