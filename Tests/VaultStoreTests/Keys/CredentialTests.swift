import FoundationEssentials
internal import Glibc
import Platform
import Testing
import VaultCrypto

@testable import VaultStore

/// The key that a service manager hands over, each test in a process whose environment has it.
@Suite struct CredentialTests {
    private static func vault(_ folder: String) throws -> (TemporaryVault, credential: String) {
        let vault = TemporaryVault(folder: folder)
        try vault.create()
        try FileSystem.makeDirectories(folder + "/credentials")
        setenv("CREDENTIALS_DIRECTORY", folder + "/credentials", 1)
        return (vault, folder + "/credentials/vault.key")
    }

    @Test func itIsTriedBeforeTheSlotsOwnPlace() async {
        await #expect(processExitsWith: .success) {
            try inTemporaryFolder { folder in
                let (vault, credential) = try Self.vault(folder)
                try FileManager.default.moveItem(atPath: vault.keyFile, toPath: credential)
                try VaultFile(vault.location).unlock(with: .keyFile)
                // A slot whose place nobody remembers has no other.
                try Editor(vault).run("UPDATE key_slot SET key_file = NULL")
                try VaultFile(vault.location).unlock(with: .keyFile)
            }
        }
    }

    @Test func whatIsWrongWithItIsSaidUnlessTheOwnPlaceOpens() async {
        await #expect(processExitsWith: .success) {
            try inTemporaryFolder { folder in
                let (vault, credential) = try Self.vault(folder)
                _ = try KeyFile.create(credential)
                try VaultFile(vault.location).unlock(with: .keyFile)
                try FileSystem.remove(vault.keyFile)
                do {
                    try VaultFile(vault.location).unlock(with: .keyFile)
                    exit(1)
                } catch StoreError.locked(.keyFileWrong(let path)) where path == credential {
                    return
                }
            }
        }
    }

    @Test func withoutItNothingIsDifferent() async {
        await #expect(processExitsWith: .success) {
            try inTemporaryFolder { folder in
                let (vault, _) = try Self.vault(folder)
                try VaultFile(vault.location).unlock(with: .keyFile)
                try FileSystem.remove(vault.keyFile)
                do {
                    try VaultFile(vault.location).unlock(with: .keyFile)
                    exit(1)
                } catch StoreError.locked(.keyFileMissing(let path)) where path == vault.keyFile {
                    return
                }
            }
        }
    }

    /// Nor does a new root key ask for a key file that is only there.
    @Test func aNewRootKeyFindsItToo() async {
        await #expect(processExitsWith: .success) {
            try inTemporaryFolder { folder in
                let (vault, credential) = try Self.vault(folder)
                try FileManager.default.moveItem(atPath: vault.keyFile, toPath: credential)
                let file = try VaultFile(vault.location)
                _ = try file.rekey(
                    authorizedBy: .keyFile,
                    slots: [:],
                    dropping: [],
                    now: Fixture.now
                )
                try VaultFile(vault.location).unlock(with: .keyFile)
            }
        }
    }
}
