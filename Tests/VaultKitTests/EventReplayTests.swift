import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultTesting

@testable import VaultKit

/// What a stream of events begins with, and how it goes on.
@Suite(.timeLimit(.minutes(1))) struct EventReplayTests {
    @Test("a dead grant is told to a program that starts later, and then what happens")
    func laterProgram() async throws {
        try await withScene(ScriptedTransport(.refusal("invalid_grant"))) { scene in
            try await scene.addExpired()
            try await scene.add("well")
            _ = await vaultError { try await scene.vault.accessToken(for: "work") }
            await scene.vault.close()
            let later = try await scene.openAgain()
            var stream = later.events.makeAsyncIterator()
            let first = await stream.next()
            #expect(first?.word == "work dead" && first?.position != nil)
            let tokens = TokenResponse.testing(accessToken: "new", refreshToken: "new-refresh")
            _ = try await later.signIn(.testing("work"), tokens, sent: scene.clock.now())
            await later.close()
            #expect(await stream.rest().map(\.word) == ["work signed in", "work active"])
        }
    }

    @Test("a stream begins with every account that is not well, in the order they came to be so")
    func everyState() async throws {
        try await withScene { scene in
            let states: [AccountState] = [
                .paused, .signInNeeded, .active, .clientRefused, .backingOff, .outcomeUnknown,
                .verifyBeforeUse,
            ]
            for state in states {
                let name = try #require(AccountName(state.rawValue))
                try await scene.add(name)
                try await scene.setState(.backingOff, of: name)
                try await scene.setState(state, of: name)
            }
            try await scene.add("gone")
            try await scene.setState(.signInNeeded, of: "gone")
            try await scene.vault.remove("gone")
            var stream = scene.vault.events.makeAsyncIterator()
            let told = await stream.take(6)
            let expected = states.filter { $0 != .active }.map(\.rawValue)
            #expect(told.map(\.account?.text) == expected)
            let positions = told.compactMap(\.position)
            #expect(positions.count == 6 && positions == positions.sorted())
            await scene.vault.close()
            #expect(await stream.next() == nil)
        }
    }

    @Test("each stream is told once, by the file or as it happens, whoever looks how often")
    func onceToEach() async throws {
        try await withScene { scene in
            for name: AccountName in ["a", "b"] { try await scene.add(name) }
            try await scene.setState(.signInNeeded, of: "a")
            let events = scene.vault.events
            var streams = [events.makeAsyncIterator(), events.makeAsyncIterator()]
            streams.append(scene.vault.events.makeAsyncIterator())
            try await scene.setState(.signInNeeded, of: "b")
            for index in streams.indices {
                scene.vault.states.tell()
                #expect(await streams[index].take(2).map(\.word) == ["a dead", "b dead"])
            }
            for _ in 1...3 { scene.vault.states.tell() }
            await scene.vault.close()
            for index in streams.indices { #expect(await streams[index].rest().isEmpty) }
        }
    }

    @Test(
        "a program goes on after the last event it dealt with",
        arguments: [
            (-7, ["a dead", "b active", "c dead"]), (0, ["a dead", "b active", "c dead"]),
            (1, ["b active", "c dead"]), (2, ["b active", "c dead"]), (3, ["c dead"]), (4, []),
            // Of another life of the vault.
            (5, ["a dead", "c dead"]), (Int.max, ["a dead", "c dead"]),
        ]
    )
    func position(number: Int, expected: [String]) async throws {
        try await withScene { scene in
            for name: AccountName in ["a", "b", "c"] { try await scene.add(name) }
            try await scene.setState(.signInNeeded, of: "a")
            try await scene.setState(.backingOff, of: "b")
            try await scene.setState(.active, of: "b")
            try await scene.setState(.signInNeeded, of: "c")
            let position = VaultEvent.Position(rawValue: Int64(number))
            var stream = scene.vault.events(after: position).makeAsyncIterator()
            #expect(await stream.take(expected.count).map(\.word) == expected)
            try await scene.setState(.active, of: "a")
            scene.vault.states.tell()
            #expect(await stream.next()?.word == "a active")
            await scene.vault.close()
            #expect(await stream.next() == nil)
        }
    }

    @Test(
        "an account that comes back, dies elsewhere or goes before its turn is not told of as it was"
    )
    func newestOnly() async throws {
        try await withScene { scene in
            for name: AccountName in ["a", "b", "c", "d"] {
                try await scene.add(name)
                try await scene.setState(.signInNeeded, of: name)
            }
            scene.vault.states.tell()
            let before = scene.vault.events
            try await scene.signInAgain("a", token: "a")
            var (early, late) = (before.makeAsyncIterator(), scene.vault.events.makeAsyncIterator())
            // Both have read of all that are dead by now.
            #expect(await early.next()?.word == "b dead")
            #expect(await late.next()?.word == "b dead")
            try await scene.signInAgain("c", token: "c")
            try await scene.vault.remove("d")
            await scene.vault.close()
            let told = ["c signed in", "c active", "d removed"]
            #expect(await early.rest().map(\.word) == ["a signed in", "a active"] + told)
            #expect(await late.rest().map(\.word) == told)
        }
    }

    @Test("a file that cannot be read delays what it holds, and nothing else")
    func unreadable() async throws {
        try await withScene { scene in
            for name: AccountName in ["a", "b"] { try await scene.add(name) }
            try await scene.setState(.signInNeeded, of: "a")
            var stream = scene.vault.events.makeAsyncIterator()
            let saboteur = try Saboteur(scene.home.location)
            try saboteur.breakChanges()
            let first = scene.vault.events.waitForFirst()
            for _ in 1...3 {
                try await scene.clock.waitForSleeper(within: 0.5)
                scene.clock.advanceToNextWake(within: 0.5)
            }
            try saboteur.mendChanges()
            await scene.clock.passingSleeps(within: 0.5) {
                #expect(await first.value?.word == "a dead")
            }
            #expect(await stream.next()?.word == "a dead")
            try saboteur.breakChanges()
            scene.vault.states.tell()
            try saboteur.mendChanges()
            try await scene.setState(.signInNeeded, of: "b")
            scene.vault.states.tell()
            #expect(await stream.next()?.word == "b dead")
            try saboteur.breakChanges()
            var last = scene.vault.events.makeAsyncIterator()
            await scene.vault.close()
            #expect(await last.next() == nil)
        }
    }

    @Test("a vault that counts its changes anew tells all of them anew")
    func anotherLife() async throws {
        try await withScene { scene in
            for name: AccountName in ["a", "b"] { try await scene.add(name) }
            for state in [AccountState.signInNeeded, .active] {
                try await scene.setState(state, of: "a")
                try await scene.setState(.signInNeeded, of: "b")
            }
            var stream = scene.vault.events.makeAsyncIterator()
            #expect(await stream.next()?.word == "b dead")
            try Saboteur(scene.home.location).restartChanges()
            scene.vault.states.tell()
            #expect(await stream.take(3).map(\.word) == ["missed", "a active", "b dead"])
            await scene.vault.close()
            #expect(await stream.next() == nil)
        }
    }
}
