import OAuth
import Testing
import VaultCrypto
import VaultStore
import VaultTesting

@testable import VaultKit

/// Accounts that get another name.
@Suite(.timeLimit(.minutes(1))) struct RenamingTests {
    @Test("tokens, tags and the place as the current account go along")
    func everythingGoesAlong() async throws {
        try await withScene { scene in
            try await scene.add()
            try await scene.vault.setTags(["a"], of: "work")
            let before = try scene.stored()
            let renamed = try await scene.vault.rename("work", to: "office")
            #expect(renamed.name == "office" && renamed.isCurrent && renamed.tags == ["a"])
            #expect(try await scene.vault.find(["a"]).map(\.name) == ["office"])
            #expect(try await scene.vault.currentAccount() == "office")
            let after = try scene.stored("office")
            #expect(after.id == before.id && after.tokens == before.tokens)
            let gone = await vaultError { try await scene.vault.accessToken(for: "work") }
            #expect(gone?.code == .noSuchAccount)
            #expect(try await scene.vault.accessToken(for: "office").text == "work-access-1")
        }
    }

    @Test("a name that is taken, or an account that is not there, changes nothing")
    func refused() async throws {
        try await withScene { scene in
            try await scene.add()
            try await scene.add("home")
            let taken = await vaultError { try await scene.vault.rename("work", to: "home") }
            #expect(taken?.code == .nameTaken && taken?.account == "home")
            let missing = await vaultError { try await scene.vault.rename("x", to: "y") }
            #expect(missing?.code == .noSuchAccount && missing?.account == "x")
            #expect(try await scene.vault.rename("work", to: "work").name == "work")
            #expect(try await scene.vault.accounts().map(\.name) == ["home", "work"])
        }
    }

    @Test("cli A21: a refresh in flight lands at the renamed account, with all that was changed")
    func duringARefresh() async throws {
        let hold = VaultTesting.Hold()
        let server = RotatingServer()
        try await withScene(server.transport(hold: hold)) { scene in
            try await scene.addExpired()
            let caller = Task { try await scene.vault.accessToken(for: "work").text }
            try await hold.waitForArrivals()
            try await scene.vault.rename("work", to: "office")
            try await scene.vault.setTags(["new"], of: "office")
            try await scene.vault.setRenewal(.manual, of: "office")
            // Under its new name it is the same account: nobody spends its refresh token twice.
            let second = Task { try await scene.vault.accessToken(for: "office").text }
            try await scene.vault.waitForWaiters(2)
            hold.release()
            #expect(try await caller.value == "work-access-2")
            #expect(try await second.value == "work-access-2")
            #expect(server.requestCount == 1 && server.reuseCount == 0)
            let stored = try scene.stored("office")
            #expect(stored.generation == 2 && stored.refreshText == "work-refresh-2")
            #expect(stored.settings.tags == ["new"] && stored.settings.renewal == .manual)
            let gone = await vaultError { try await scene.vault.accessToken(for: "work") }
            #expect(gone?.code == .noSuchAccount)
        }
    }

    @Test("cli A21: an account that takes over the name gets nothing of the refresh in flight")
    func nameTakenOver() async throws {
        let hold = VaultTesting.Hold()
        let server = RotatingServer()
        try await withScene(server.transport(hold: hold)) { scene in
            try await scene.addExpired()
            let caller = Task { try await scene.vault.accessToken(for: "work").text }
            try await hold.waitForArrivals()
            // By another process, of which this one was not told.
            let other = try await scene.openAgain()
            try await other.rename("work", to: "office")
            try await other.add(
                .testing("work"),
                .testing(accessToken: "other-access-1", refreshToken: "other-refresh-1")
            )
            hold.release()
            #expect(try await caller.value == "work-access-2")
            #expect(try await scene.vault.accessToken(for: "work").text == "other-access-1")
            #expect(try await scene.vault.accessToken(for: "office").text == "work-access-2")
        }
    }
}
