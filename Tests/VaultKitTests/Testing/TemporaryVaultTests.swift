import FoundationEssentials
import Glibc
import Testing
import VaultKit
import VaultTesting

@Suite struct TemporaryVaultTests {
    @Test func itOpensAndGoes() async throws {
        var home: TemporaryVault?
        try await TemporaryVault.use { vault in
            home = vault
            let open = try await vault.open()
            #expect(try await open.accounts().isEmpty)
            #expect(!vault.keyFile.hasPrefix(vault.location.directory + "/"))
            let mode = try FileManager.default
                .attributesOfItem(atPath: vault.location.directory)[.posixPermissions]
            #expect(mode as? Int == 0o700)
            await open.close()
        }
        let gone = try #require(home)
        #expect(!FileManager.default.fileExists(atPath: gone.location.directory))
        #expect(!FileManager.default.fileExists(atPath: gone.keyFile))
    }

    @Test func eachIsAnother() throws {
        let vaults = [try TemporaryVault(), try TemporaryVault()]
        #expect(vaults[0].location != vaults[1].location)
        for vault in vaults { try vault.remove() }
    }

    @Test("one that could not be made leaves nothing behind")
    func failure() async {
        await #expect(processExitsWith: .success) {
            let temporary = FileManager.default.temporaryDirectory
                .appending(path: "temporary-vault-\(UUID().uuidString)")
            try FileManager.default.createDirectory(
                at: temporary,
                withIntermediateDirectories: false
            )
            defer { try? FileManager.default.removeItem(at: temporary) }
            setenv("TMPDIR", temporary.path, 1)
            // Then no file has room for anything.
            signal(SIGXFSZ, SIG_IGN)
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &none) == 0 else {
                exit(10)
            }
            guard FileManager.default.temporaryDirectory.path == temporary.path else { exit(11) }
            guard (try? TemporaryVault()) == nil else { exit(12) }
            guard try FileManager.default.contentsOfDirectory(atPath: temporary.path).isEmpty else {
                exit(13)
            }
        }
    }

    @Test("a token endpoint that is none is a mistake in the test")
    func registration() async {
        #expect(
            AccountRegistration.testing("work", tokenEndpoint: "http://127.0.0.1:8080/token")
                .tokenEndpoint.string == "http://127.0.0.1:8080/token"
        )
        await #expect(processExitsWith: .failure) {
            _ = AccountRegistration.testing("work", tokenEndpoint: "htps://as.example/token")
        }
    }
}
