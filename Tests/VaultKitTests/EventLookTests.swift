import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultTesting

@testable import VaultKit

/// How soon a listener learns of what another process did, and what is left when it goes.
@Suite(.timeLimit(.minutes(1))) struct EventLookTests {
    @Test("a process that does nothing but listen learns within half a second")
    func otherProcess() async throws {
        let transport = ScriptedTransport(.refusal("invalid_grant"))
        try await withScene(transport) { scene in
            try await scene.addExpired()
            let idle = try await scene.openAgain()
            let event = idle.events.waitForFirst()
            try await scene.clock.waitForSleeper(within: 0.5)
            _ = await vaultError { try await scene.vault.accessToken(for: "work") }
            let start = scene.clock.now()
            await scene.clock.passingSleeps(within: 0.5) {
                #expect(await event.value?.word == "work dead")
            }
            #expect(scene.clock.now().seconds(since: start) <= 0.5)
            await idle.close()
        }
    }

    @Test("nobody looks when nobody waits, and nothing is left behind")
    func nobodyWaits() async throws {
        try await withScene { scene in
            try await scene.add()
            let events = scene.vault.events
            #expect(scene.clock.sleeperCount == 0)
            let waiting = (1...3).map { _ in events.waitForFirst() }
            try await scene.clock.waitForSleepers(3)
            waiting[0].cancel()
            #expect(await waiting[0].value == nil)
            #expect(scene.clock.sleeperCount == 2)
            await scene.vault.close()
            for task in waiting.dropFirst() { #expect(await task.value == nil) }
            #expect(scene.clock.sleeperCount == 0)
            #expect(!scene.vault.hub.hasListeners)
            var iterator = scene.vault.events.makeAsyncIterator()
            #expect(await iterator.next() == nil)
        }
    }

    @Test("who waits is told at once of what happens here")
    func thisProcess() async throws {
        try await withScene { scene in
            try await scene.add()
            let event = scene.vault.events.waitForFirst()
            try await scene.clock.waitForSleepers(1)
            try await scene.signInAgain()
            #expect(await event.value?.word == "work signed in")
            #expect(scene.clock.sleeperCount == 0)
        }
    }

    @Test("a task that is cancelled before it listens gets nothing, and a stream goes with it")
    func cancelled() async throws {
        try await withScene { scene in
            try await scene.add()
            try await scene.setState(.signInNeeded)
            let vault = scene.vault
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                var count = 0
                for await _ in vault.events { count += 1 }
                return count
            }
            #expect(await task.value == 0)
            #expect(!vault.hub.hasListeners)
        }
    }

    @Test("a vault that goes without being closed ends its streams")
    func vaultGoes() async throws {
        try await withScene { scene in
            func events() async throws -> VaultEvents {
                try await scene.openAgain().events
            }
            let event = try await events().waitForFirst()
            #expect(await event.value == nil)
        }
    }

    @Test("what happens from now on can be had without looking or replay")
    func newEvents() async throws {
        try await withScene { scene in
            try await scene.add()
            try await scene.setState(.signInNeeded)
            let event = scene.vault.newEvents.waitForFirst()
            while !scene.vault.hub.hasListeners { await Task.yield() }
            for _ in 1...100 { await Task.yield() }
            #expect(scene.clock.sleeperCount == 0)
            try await scene.signInAgain()
            #expect(await event.value?.word == "work signed in")
        }
    }
}
