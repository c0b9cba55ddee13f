import OAuth
import Testing
import VaultCrypto
import VaultTesting

@testable import VaultKit

/// What happens to an account, and to those who wait for it, while it is signed out of.
@Suite(.timeLimit(.minutes(1))) struct SignOutRaceTests {
    @Test("an account that gets another name meanwhile goes by that")
    func renamed() async throws {
        let hold = VaultTesting.Hold()
        try await withScene(SignOutTests.server(.response(200).held(by: hold))) { scene in
            try await SignOutTests.add(SignOutTests.registration("work"), to: scene)
            let signOut = Task { try await scene.vault.signOut("work") }
            try await hold.waitForArrivals()
            let other = try await scene.openAgain()
            try await other.rename("work", to: "office")
            // Who has the old name now has nothing to do with it.
            let tokens = TokenResponse.testing(accessToken: "another", refreshToken: "another-1")
            try await other.add(SignOutTests.registration("work"), tokens)
            hold.release()
            #expect(try await signOut.value.failure == nil)
            #expect(try await other.accounts().map(\.name) == ["work"])
            #expect(try scene.stored().accessText == "another")
            await other.close()
        }
    }

    @Test("whoever waits while a sign-out fails gets a token all the same")
    func failed() async throws {
        let hold = VaultTesting.Hold()
        let transport = SignOutTests.server(.response(503).held(by: hold))
        try await withScene(transport) { scene in
            try await SignOutTests.add(SignOutTests.registration("work"), to: scene)
            scene.clock.advance(by: 3601)
            let signOut = Task { await vaultError { try await scene.vault.signOut("work") } }
            try await hold.waitForArrivals()
            let caller = Task { try await scene.vault.accessToken(for: "work").text }
            try await scene.vault.waitForWaiters(1)
            hold.release()
            #expect(await signOut.value?.code == .revocationFailed)
            #expect(try await caller.value == "work-access-2")
        }
    }
}
