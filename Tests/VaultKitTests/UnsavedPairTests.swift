import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultTesting

@testable import VaultKit

/// A pair came back and the store does not take it.
@Suite(.timeLimit(.minutes(1))) struct UnsavedPairTests {
    /// Breaks the file right before the pair of `account` is stored, for the first time only.
    private func breaking(_ home: Shared<VaultLocation?>) -> FaultPoints {
        FaultPoints { place in
            guard place == .installing else { return }
            let location = home.update { home in
                defer { home = nil }
                return home
            }
            guard let location else { return }
            do {
                try Saboteur(location).breakInstalls()
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test(
        "PE-06, cli A17, B8, server B10: the pair is kept, the old token served, and all saved in the end"
    )
    func keptUntilTheStoreTakesIt() async throws {
        let server = RotatingServer()
        let location = Shared<VaultLocation?>(nil)
        try await withScene(server.transport(), faults: breaking(location)) { scene in
            try await scene.add()
            try await scene.add("other")
            location.update { $0 = scene.home.location }
            let events = scene.vault.events
            let error = await vaultError { try await scene.vault.refresh("work") }
            #expect(error?.code == .notSaved)
            #expect(try await scene.vault.account("work").state == .notSaved)

            // The old token while it lives, after that the one in memory.
            scene.clock.advance(by: 3500)
            let old = try await scene.vault.accessToken(for: "work")
            #expect(old.text == "work-access-1")
            #expect(old.warning == .notSaved)

            // Nothing is sent for anybody meanwhile.
            scene.clock.advance(by: 70)
            let other = try await scene.vault.accessToken(for: "other")
            #expect(other.text == "other-access-1")
            #expect(other.warning == .refreshFailing)
            scene.clock.advance(by: 31)
            let refused = await vaultError { try await scene.vault.accessToken(for: "other") }
            #expect(refused?.code == .notSaved)
            #expect(server.requestCount == 1)

            try Saboteur(scene.home.location).mendInstalls()
            while scene.vault.refresher.storeRefusesWrites {
                scene.clock.advanceToNextWake(within: 30)
                await Task.yield()
            }
            #expect(try scene.stored().refreshText == "work-refresh-2")
            #expect(try scene.stored().generation == 2)
            #expect(try await scene.vault.account("work").state == .active)
            #expect(try await scene.vault.accessToken(for: "other").text == "other-access-2")
            #expect(server.reuseCount == 0)
            let told = await everything(of: events, closing: scene.vault).map(name)
            #expect(told == ["notSaved", "refreshed 2", "refreshed 2"])
        }
    }

    private func name(_ kind: VaultEvent.Kind) -> String {
        if case .refreshed(let generation, _) = kind {
            "refreshed \(generation)"
        } else {
            "\(kind)"
        }
    }

    @Test("R1: the unsaved token is served once the old one is dead, to those who waited too")
    func unsavedTokenIsServed() async throws {
        let server = RotatingServer()
        let location = Shared<VaultLocation?>(nil)
        try await withScene(server.transport(), faults: breaking(location)) { scene in
            try await scene.addExpired()
            location.update { $0 = scene.home.location }
            for _ in 1...3 {
                let token = try await scene.vault.accessToken(for: "work")
                #expect(token.text == "work-access-2")
                #expect(token.warning == .notSaved)
            }
            #expect(server.requestCount == 1)
            try Saboteur(scene.home.location).mendInstalls()
            while scene.vault.refresher.storeRefusesWrites {
                scene.clock.advanceToNextWake(within: 30)
                await Task.yield()
            }
            await scene.vault.close()
            #expect(try scene.stored().refreshText == "work-refresh-2")
        }
    }

    @Test("I06: closing waits for the store, and gives up after a minute")
    func closingGivesUp() async throws {
        let location = Shared<VaultLocation?>(nil)
        try await withScene(RotatingServer().transport(), faults: breaking(location)) { scene in
            try await scene.addExpired()
            location.update { $0 = scene.home.location }
            _ = try await scene.vault.accessToken(for: "work")
            let start = scene.clock.now()
            await scene.clock.passingSleeps(within: 30) { await scene.vault.close() }
            #expect(scene.clock.now().seconds(since: start) >= 60)
            #expect(try scene.stored().generation == 1)

            // It is kept all the same, for as long as the process lives.
            try Saboteur(scene.home.location).mendInstalls()
            try await scene.clock.passingSleeps(within: 30) {
                while try scene.stored().generation == 1 { await Task.yield() }
            }
        }
    }

    @Test("a grant whose pair is only in memory is not dead, whatever the file says")
    func aliveInMemory() async throws {
        let location = Shared<VaultLocation?>(nil)
        try await withScene(RotatingServer().transport(), faults: breaking(location)) { scene in
            try await scene.addExpired()
            let elsewhere = try await scene.openAgain()
            location.update { $0 = scene.home.location }
            _ = try await scene.vault.accessToken(for: "work")
            var account = try scene.stored()
            account.tokens.signInNeeded = SignInNeeded(
                reason: .grantRefused,
                since: scene.clock.now().wall
            )
            #expect(elsewhere.needingSignIn()(account))
            #expect(!scene.vault.needingSignIn()(account))
            // Another account that took the name has nothing to do with the pair.
            account.id = .random()
            #expect(scene.vault.needingSignIn()(account))
            try Saboteur(scene.home.location).mendInstalls()
            await scene.clock.passingSleeps(within: 30) { await scene.vault.close() }
        }
    }

    @Test("cli E18: what is unsaved of a removed account is not served to one of the same name")
    func unsavedPairOfARemovedAccount() async throws {
        let location = Shared<VaultLocation?>(nil)
        try await withScene(RotatingServer().transport(), faults: breaking(location)) { scene in
            try await scene.addExpired()
            location.update { $0 = scene.home.location }
            _ = try await scene.vault.accessToken(for: "work")
            try await scene.vault.remove("work")
            try Saboteur(scene.home.location).mendInstalls()
            let tokens = TokenResponse.testing(accessToken: "another", refreshToken: "another")
            _ = try await scene.vault.add(.testing("work"), tokens)
            let token = try await scene.vault.accessToken(for: "work")
            #expect(token.text == "another")
            #expect(token.warning == nil)
            // Whoever still holds the old pair finds out that it is nobody's.
            await scene.clock.passingSleeps(within: 30) { await scene.vault.close() }
        }
    }
}
