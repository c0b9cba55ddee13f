import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultTesting

@testable import VaultKit

/// What is read on whose thread, and what a stream is told of that was not read from yet.
@Suite(.timeLimit(.minutes(1))) struct EventBeginningTests {
    @MainActor
    @Test("a file that somebody holds keeps no actor waiting that asks for much of it")
    func actorIsFree() async throws {
        try await withScene { scene in
            try await scene.add()
            try await scene.setState(.signInNeeded)
            let (vault, home) = (scene.vault, scene.home)
            let calls: [@Sendable () async throws -> Void] = [
                { _ = try await vault.accounts() },
                { _ = try await vault.damagedAccounts() },
                { _ = try await vault.clients() },
                { _ = try await vault.find(["team"]) },
                { _ = try await home.open(transport: scene.transport, clock: scene.clock) },
                {
                    let events = vault.events
                    var stream = events.makeAsyncIterator()
                    #expect(await stream.next()?.word == "work dead")
                },
            ]
            for call in calls { try await Self.whileHeld(home, call) }
        }
    }

    /// Makes a call on the main actor, which lets go of the file only when it gets to run.
    @MainActor
    private static func whileHeld(
        _ home: TemporaryVault,
        _ call: @MainActor () async throws -> Void
    ) async throws {
        let holder = Holder(try Saboteur(home.location))
        try holder.saboteur.holdFile()
        let release = Task { @MainActor in try holder.saboteur.releaseWrites() }
        // A call that keeps the main actor gives up on the file, as busy, before that is let go of.
        try await call()
        try await release.value
    }

    @MainActor
    private final class Holder {
        let saboteur: Saboteur

        init(_ saboteur: consuming Saboteur) {
            self.saboteur = saboteur
        }
    }

    @Test("asking for events reads no file, and misses nothing that this process does from then on")
    func ownChanges() async throws {
        try await withScene { scene in
            try await scene.add()
            let saboteur = try Saboteur(scene.home.location)
            try saboteur.holdFile()
            let start = ContinuousClock.now
            var stream = scene.vault.events.makeAsyncIterator()
            #expect(ContinuousClock.now - start < .seconds(5))
            try saboteur.releaseWrites()
            try await scene.setState(.signInNeeded)
            try await scene.signInAgain()
            await scene.vault.close()
            #expect(await stream.rest().map(\.word) == ["work signed in", "work active"])
        }
    }

    @Test("what other processes did before the file is read is told of as it is by then")
    func othersChanges() async throws {
        try await withScene { scene in
            for name: AccountName in ["a", "b", "c"] { try await scene.add(name) }
            try await scene.setState(.signInNeeded, of: "a")
            var stream = scene.vault.events.makeAsyncIterator()
            try await scene.setState(.signInNeeded, of: "b")
            try await scene.setState(.signInNeeded, of: "c")
            try await scene.setState(.active, of: "b")
            #expect(await stream.take(2).map(\.word) == ["a dead", "c dead"])
            try await scene.setState(.active, of: "c")
            await scene.vault.close()
            #expect(await stream.rest().map(\.word) == ["c active"])
        }
    }

    @Test("very many changes that nobody was told of make no gap")
    func manyChanges() async throws {
        try await withScene { scene in
            try await scene.add()
            let saboteur = try Saboteur(scene.home.location)
            try saboteur.multiply(by: 1999)
            try saboteur.changeAll(to: "sign_in_needed")
            var stream = scene.vault.events.makeAsyncIterator()
            let told = await stream.take(2000)
            #expect(Set(told.map(\.account)).count == 2000)
            #expect(told.allSatisfy { $0.kind == .signInNeeded })
            await scene.vault.close()
            #expect(await stream.next() == nil)
        }
    }

    @Test("a pair that is only in memory is told to a stream that begins later, once")
    func unsaved() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            try await scene.addExpired()
            let saboteur = try Saboteur(scene.home.location)
            try saboteur.breakInstalls()
            var early = scene.vault.events.makeAsyncIterator()
            _ = try await scene.vault.accessToken(for: "work")
            var late = scene.vault.events.makeAsyncIterator()
            #expect(await early.next()?.word == "work not saved")
            #expect(await late.next()?.word == "work not saved")
            try saboteur.mendInstalls()
            await scene.clock.passingSleeps(within: 60) { await scene.vault.close() }
            #expect(await late.rest().map(\.word) == ["work refreshed"])
            #expect(await early.rest().map(\.word) == ["work refreshed"])
        }
    }

    @Test(
        "the end of the vault's last reference is that of its streams, and what was told before is kept"
    )
    func lastReference() async throws {
        try await TemporaryVault.use(isVolatile: true) { home in
            var vault: Vault? = try await home.open(
                transport: ScriptedTransport(),
                clock: ManualClock()
            )
            let tokens = TokenResponse.testing(accessToken: "a", refreshToken: "r")
            let events = vault?.events
            _ = try await vault?.add(.testing("work"), tokens)
            vault = nil
            var stream = try #require(events).makeAsyncIterator()
            #expect(await stream.rest().map(\.word) == ["work signed in"])
        }
    }
}
