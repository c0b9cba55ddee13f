import FoundationEssentials
import OAuth
import Testing
import VaultCrypto
import VaultSQLite
import VaultTesting

@testable import VaultKit

/// The account moves on while its refresh is in flight.
@Suite(.timeLimit(.minutes(1))) struct SupersededTests {
    private func receivedCount(_ scene: Scene) throws -> Int64 {
        let connection = try Connection(path: scene.home.location.database, mode: .readWrite)
        var count = try connection.prepare("SELECT count(*) FROM received_token")
        return try count.step() ? count.integer(at: 0) : -1
    }

    @Test("PE-10, cli A20, server B14: a new grant stays, and the late pair is kept aside")
    func signInDuringARefresh() async throws {
        let hold = Hold()
        let server = RotatingServer()
        try await withScene(server.transport(hold: hold)) { scene in
            try await scene.addExpired()
            let caller = Task { try await scene.vault.accessToken(for: "work") }
            try await hold.waitForArrivals()
            try await scene.signInAgain()
            hold.release()
            #expect(try await caller.value.text == "new-access")
            #expect(try scene.stored().refreshText == "new-refresh")
            #expect(try scene.stored().generation == 2)
            #expect(try receivedCount(scene) == 1)
        }
    }

    @Test(
        "PE-10, server B15: a removed account stays removed, and nothing is told of it afterwards"
    )
    func removalDuringARefresh() async throws {
        let hold = Hold()
        let server = RotatingServer()
        try await withScene(server.transport(hold: hold)) { scene in
            try await scene.addExpired()
            let events = scene.vault.events
            let caller = Task {
                await vaultError { try await scene.vault.accessToken(for: "work") }
            }
            try await hold.waitForArrivals()
            try await scene.vault.remove("work")
            hold.release()
            #expect(await caller.value?.code == .noSuchAccount)
            #expect(try await scene.vault.accounts().isEmpty)
            #expect(try await scene.vault.currentAccount() == nil)
            #expect(try receivedCount(scene) == 1)
            #expect(await everything(of: events, closing: scene.vault) == [.removed])
        }
    }

    @Test("PE-10, cli E18: an account added anew in the meantime gets nothing of the old flight")
    func replacementDuringARefresh() async throws {
        let hold = Hold()
        let transport = ScriptedTransport { request in
            if request.refreshToken == Secret("another-refresh-1") {
                return .grant(accessToken: "another-access-2", refreshToken: "another-refresh-2")
            }
            return .grant(accessToken: "work-access-2", refreshToken: "work-refresh-2")
                .held(by: hold)
        }
        try await withScene(transport) { scene in
            try await scene.addExpired()
            let first = Task { try await scene.vault.accessToken(for: "work") }
            try await hold.waitForArrivals()
            try await scene.vault.remove("work")
            let tokens = TokenResponse.testing(
                accessToken: "another-access-1",
                refreshToken: "another-refresh-1",
                lifetime: 10
            )
            _ = try await scene.vault.add(.testing("work"), tokens)
            scene.clock.advance(by: 11)
            let second = Task { try await scene.vault.accessToken(for: "work") }
            try await scene.vault.waitForWaiters(2)
            hold.release()
            #expect(try await first.value.text == "another-access-2")
            #expect(try await second.value.text == "another-access-2")
            #expect(try scene.stored().refreshText == "another-refresh-2")
        }
    }

    @Test("cli E18: the refusal of a removed account's grant says nothing of one of the same name")
    func refusalAfterReplacement() async throws {
        let hold = Hold()
        let transport = ScriptedTransport(.refusal("invalid_grant").held(by: hold))
        try await withScene(transport) { scene in
            try await scene.addExpired()
            let events = scene.vault.events
            let caller = Task { try await scene.vault.accessToken(for: "work") }
            try await hold.waitForArrivals()
            try await scene.vault.remove("work")
            let tokens = TokenResponse.testing(accessToken: "another", refreshToken: "another")
            _ = try await scene.vault.add(.testing("work"), tokens)
            hold.release()
            #expect(try await caller.value.text == "another")
            #expect(
                await everything(of: events, closing: scene.vault)
                    == [.removed, .signedIn(generation: 1)]
            )
        }
    }

    @Test("E07, cli A20: a sign-in that meets the end of a refresh is not lost")
    func signInMeetsInstall() async throws {
        let hold = Hold()
        let installing = Hold()
        installing.release()
        let faults = FaultPoints { place in
            if place == .installing { try? await installing.pass() }
        }
        let server = RotatingServer()
        try await withScene(server.transport(hold: hold), faults: faults) { scene in
            try await scene.addExpired()
            let caller = Task { try await scene.vault.accessToken(for: "work") }
            try await hold.waitForArrivals()
            let saboteur = try Saboteur(scene.home.location)
            try saboteur.holdWrites()
            hold.release()
            try await installing.waitForArrivals()
            // Both writes wait for the file now, the sign-in's decided on the old generation.
            for _ in 1...100 { await Task.yield() }
            let signIn = Task { try await scene.signInAgain() }
            for _ in 1...100 { await Task.yield() }
            try saboteur.releaseWrites()
            try await signIn.value
            _ = try await caller.value
            #expect(try scene.stored().refreshText == "new-refresh")
        }
    }

    @Test("E01, E02: switching while another account refreshes touches neither")
    func switchDuringARefresh() async throws {
        let hold = Hold()
        let server = RotatingServer()
        try await withScene(server.transport(hold: hold)) { scene in
            try await scene.add("a")
            try await scene.add("b")
            #expect(try await scene.vault.currentAccount() == "a")
            let refresh = Task { try await scene.vault.refresh("a") }
            try await hold.waitForArrivals()
            try await scene.vault.switchAccount(to: "b")
            hold.release()
            #expect(try await refresh.value.text == "a-access-2")
            #expect(try await scene.vault.currentAccount() == "b")
            #expect(try scene.stored("b").generation == 1)
            #expect(try scene.stored("a").refreshText == "a-refresh-2")
        }
    }
}
