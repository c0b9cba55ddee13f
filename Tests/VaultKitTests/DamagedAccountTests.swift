import FoundationEssentials
import Testing
import VaultStore
import VaultTesting

@testable import VaultKit

/// One damaged row: the others are shown, renewed and handed out as ever.
@Suite(.timeLimit(.minutes(1))) struct DamagedAccountTests {
    @Test func listsGoOnBesideADamagedAccount() async throws {
        try await withScene { scene in
            for name in ["a", "b", "c"] as [AccountName] { try await scene.add(name) }
            #expect(try await scene.vault.damagedAccounts() == [])
            try Saboteur(scene.home.location).spoilTokens(of: "b")
            #expect(try await scene.vault.accounts().map(\.name) == ["a", "c"])
            #expect(try await scene.vault.damagedAccounts() == ["b"])
            let error = await vaultError { try await scene.vault.account("b") }
            #expect(error?.code == .tampered)
            #expect(try await scene.vault.accessToken(for: "c").text == "c-access-1")
        }
    }

    @Test func manyAccountsAreListedInPages() async throws {
        try await withScene { scene in
            let names = (0..<300).compactMap { AccountName("account-\(1000 + $0)") }
            for name in names { try await scene.add(name) }
            let saboteur = try Saboteur(scene.home.location)
            // Also the last one of a page.
            for index in [0, 255, 299] { try saboteur.spoilTokens(of: names[index]) }
            #expect(try await scene.vault.accounts().count == 297)
            #expect(
                try await scene.vault.damagedAccounts() == [0, 255, 299].map { names[$0].text }
            )
        }
    }

    @Test func theDailyBackupIsMadeOnceADay() async throws {
        try await withScene { scene in
            #expect(try await scene.vault.backUpDaily() == nil)
            try await scene.add()
            let first = try #require(try await scene.vault.backUpDaily())
            #expect(first.hasPrefix(scene.home.location.directory + "/backups/daily-"))
            #expect(try await scene.vault.backUpDaily() == nil)
            scene.clock.advance(by: 86_401)
            #expect(try await scene.vault.backUpDaily() != nil)
            await scene.vault.close()
            let error = await vaultError { try await scene.vault.backUpDaily() }
            #expect(error?.code == .closed)
        }
    }
}
