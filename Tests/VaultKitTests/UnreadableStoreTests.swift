import FoundationEssentials
import Glibc
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultSQLite
import VaultTesting

@testable import VaultKit
@testable import VaultStore

/// Row PE-09: a store that cannot be read for the moment says so, and nobody is signed out for it.
@Suite(.timeLimit(.minutes(1))) struct UnreadableStoreTests {
    /// A vault with one account, closed, and what its file holds.
    private static func use(
        _ body: (TemporaryVault, _ file: Data) async throws -> Void
    ) async throws {
        try await TemporaryVault.use { home in
            let vault = try await home.open()
            _ = try await vault.add(.testing("work"), .testing(accessToken: "access-1"))
            await vault.close()
            try await body(home, Data(contentsOf: URL(filePath: home.location.database)))
            // Whatever went wrong: it works again, and nothing was lost.
            let again = try await home.open()
            #expect(try await again.accessToken(for: "work").text == "access-1")
            #expect(try await again.currentAccount() == "work")
            await again.close()
        }
    }

    private static func open(
        _ home: TemporaryVault,
        _ unlock: Vault.Unlock
    ) async -> VaultError? {
        await vaultError {
            try await Vault.open(home.location, unlock: unlock, transport: UnreachableTransport())
        }
    }

    @Test("swift PE-09: another key, or none, is a locked vault")
    func locked() async throws {
        try await Self.use { home, file in
            let unlocks: [(Vault.Unlock, String)] = [
                (.key(Secret(bytes: [UInt8](repeating: 1, count: 32))), "key_wrong"),
                (.keyFileAt(path: home.keyFile + ".not"), "key_file_missing"),
                (.passphrase(Secret("no such slot")), "no_passphrase_slot"),
            ]
            for (unlock, reason) in unlocks {
                let error = await Self.open(home, unlock)
                #expect(error == VaultError(.locked))
                #expect(error?.facts[.reason] == reason && error?.isTransient == false)
            }
            let now = try Data(contentsOf: URL(filePath: home.location.database))
            #expect(now == file)
        }
    }

    @Test("swift PE-09: a file that another process keeps is busy, and passes")
    func busy() async throws {
        try await Self.use { home, file in
            let holder = try Connection(path: home.location.database, mode: .readWrite)
            try holder.executeScript("BEGIN EXCLUSIVE")
            let error = try #require(throws: (any Error).self) {
                let file = try VaultFile(home.location, busyLimit: 0.02)
                try file.unlock(with: .keyFileAt(path: home.keyFile))
            }
            #expect(VaultError(error) == VaultError(.busy) && VaultError(error).isTransient)
            try holder.executeScript("ROLLBACK")
            let now = try Data(contentsOf: URL(filePath: home.location.database))
            #expect(now == file)
        }
    }

    @Test("swift PE-09: a file that may not be read is a storage error")
    func denied() async {
        await #expect(processExitsWith: .success) {
            // To root nothing is denied, and root's own place for temporary files may be closed.
            unsetenv("TMPDIR")
            guard geteuid() != 0 || seteuid(65_534) == 0 else { exit(9) }
            try await Self.use { home, file in
                for path in [home.location.database, home.keyFile, home.location.directory] {
                    let mode = try FileSystem.status(of: path).permissions
                    guard chmod(path, 0) == 0 else { exit(10) }
                    let error = await Self.open(home, .keyFileAt(path: home.keyFile))
                    guard chmod(path, mode) == 0 else { exit(11) }
                    guard error?.code == .storage, error?.isTransient == false else { exit(12) }
                }
                let now = try Data(contentsOf: URL(filePath: home.location.database))
                guard now == file else { exit(13) }
            }
            // A sanitizer looks into the process at its end.
            guard seteuid(getuid()) == 0 else { exit(14) }
        }
    }
}
