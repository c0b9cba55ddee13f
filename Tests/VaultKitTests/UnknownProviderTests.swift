import FoundationEssentials
import OAuth
import Testing
import VaultCrypto
import VaultTesting

@testable import VaultKit
@testable import VaultStore

/// An account that a newer program stored, of a provider that this one does not know.
@Suite(.timeLimit(.minutes(1))) struct UnknownProviderTests {
    /// Stores the account anew as one of some provider, with the tokens it has.
    private func setProvider(_ name: String, _ scene: Scene) async throws {
        let account = try scene.stored()
        var settings = account.settings
        settings.refresh.provider = name
        _ = try await scene.vault.store.replace(
            account,
            with: NewAccount(
                settings: settings,
                tokens: account.tokens,
                health: account.health,
                expiry: nil
            )
        )
    }

    @Test func nothingIsSentForIt() async throws {
        let transport = ScriptedTransport(.grant(accessToken: "second", refreshToken: "refresh-2"))
        try await withScene(transport) { scene in
            try await scene.add()
            try await setProvider("a-newer-one", scene)
            // Its token is good until it ends.
            #expect(try await scene.vault.accessToken(for: "work").text == "work-access-1")
            scene.clock.advance(by: 3601)
            let before = try scene.stored()
            let events = scene.vault.events
            try await run(scene, for: 600)
            for ask in [
                { try await scene.vault.accessToken(for: "work") },
                { try await scene.vault.refresh("work") },
            ] as [() async throws -> Any] {
                let error = await vaultError(ask)
                #expect(error?.code == .newerFormat && error?.isTransient == false)
                #expect(error?.facts[.field] == "provider")
                #expect(error?.facts[.found] == "a-newer-one")
            }
            // Another program's plans for it are left as they are.
            #expect(try scene.stored() == before)
            #expect(transport.requestCount == 0)
            try await setProvider("gitlab", scene)
            #expect(try await scene.vault.accessToken(for: "work").text == "second")
            let kinds = await everything(of: events, closing: scene.vault)
            // The scheduler lets it be; a person was told once.
            #expect(kinds.count { $0 == .refreshFailed(.newerFormat) } == 1)
        }
    }

    @Test func noneIsAdded() async throws {
        try await withScene { scene in
            var registration = AccountRegistration.testing("work")
            registration.refresh.provider = "no-such-provider"
            let tokens = TokenResponse.testing(accessToken: "a", refreshToken: "r")
            let error = await vaultError { try await scene.vault.add(registration, tokens) }
            #expect(error?.code == .invalidInput && error?.facts[.field] == "provider")
            let accounts = try await scene.vault.accounts()
            #expect(accounts.isEmpty)
        }
    }
}
