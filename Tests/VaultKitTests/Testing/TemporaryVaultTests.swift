import FoundationEssentials
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
}
