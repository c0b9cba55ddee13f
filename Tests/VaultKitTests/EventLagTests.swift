import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultTesting

@testable import VaultKit

/// Listeners that do not keep up, and very many events.
@Suite(.timeLimit(.minutes(1))) struct EventLagTests {
    @Test(
        "3,000 grants die at once: a listener that lags is told of a gap and of each grant, in order"
    )
    func manyDead() async throws {
        try await withScene { scene in
            try await scene.add()
            let saboteur = try Saboteur(scene.home.location)
            try saboteur.multiply(by: 2999)
            var lagging = scene.vault.events.makeAsyncIterator()
            scene.vault.states.tell()
            try saboteur.changeAll(to: "sign_in_needed")
            scene.vault.states.tell()
            var late = scene.vault.events.makeAsyncIterator()
            let told = await lagging.take(3001)
            #expect(told.first?.kind == .missed && told.first?.position == nil)
            let replayed = await late.take(3000)
            #expect(replayed == Array(told.dropFirst()))
            #expect(Set(replayed.map(\.account)).count == 3000)
            #expect(replayed.allSatisfy { $0.kind == .signInNeeded })
            let positions = replayed.compactMap(\.position)
            #expect(positions.count == 3000 && positions == positions.sorted())
            await scene.vault.close()
            #expect(await lagging.next() == nil)
            #expect(await late.next() == nil)
        }
    }

    @Test("closing ends a long replay soon, and the next stream begins with the rest")
    func closedDuringALongReplay() async throws {
        try await withScene { scene in
            try await scene.add()
            let saboteur = try Saboteur(scene.home.location)
            try saboteur.multiply(by: 999)
            try saboteur.changeAll(to: "sign_in_needed")
            var stream = scene.vault.events.makeAsyncIterator()
            let first = await stream.take(10)
            await scene.vault.close()
            let told = first + (await stream.rest())
            #expect(told.count < 1000)
            let position = try #require(told.last?.position)
            let later = try await scene.openAgain()
            var rest = later.events(after: position).makeAsyncIterator()
            let names = told.map(\.account) + (await rest.take(1000 - told.count)).map(\.account)
            #expect(Set(names).count == 1000)
        }
    }

    @Test("dead grants that no change was written down of are told of too, page after page")
    func uncounted() async throws {
        try await withScene { scene in
            try await scene.add()
            try await scene.setState(.signInNeeded)
            try Saboteur(scene.home.location).multiply(by: 599)
            var stream = scene.vault.events.makeAsyncIterator()
            let told = await stream.take(600)
            #expect(Set(told.map(\.account)).count == 600)
            #expect(told.allSatisfy { $0.kind == .signInNeeded })
            #expect(told.map(\.position).dropLast().allSatisfy { $0 == nil })
            #expect(told.last?.word == "work dead" && told.last?.position != nil)
            await scene.vault.close()
            #expect(await stream.next() == nil)
        }
    }

    @Test(
        "what is not kept is lost by lagging, the changes of state are not, and each comes as it is last"
    )
    func mixed() async throws {
        try await withScene { scene in
            for name: AccountName in ["a", "b", "c"] { try await scene.add(name) }
            let (hub, states) = (scene.vault.hub, scene.vault.states)
            var stream = scene.vault.events.makeAsyncIterator()
            for name: AccountName in ["a", "b"] {
                try await scene.setState(.signInNeeded, of: name)
            }
            states.tell()
            #expect(await stream.next()?.word == "a dead")
            for number in 1...500 { hub.publish(.adopted(generation: UInt64(number)), of: "a") }
            for state in [AccountState.backingOff, .signInNeeded, .active] {
                try await scene.setState(state, of: "c")
                states.tell()
            }
            for number in 501...2000 { hub.publish(.adopted(generation: UInt64(number)), of: "a") }
            let kept = (977...2000).map { "a adopted \($0)" }
            #expect(await stream.take(1027).map(\.word) == ["missed", "b dead", "c active"] + kept)
            // The next gap is marked anew, also without a change in it.
            for number in 1...1025 { hub.publish(.adopted(generation: UInt64(number)), of: "a") }
            #expect(await stream.take(2).map(\.word) == ["missed", "a adopted 2"])
            await scene.vault.close()
            #expect(await stream.rest().count == 1023)
        }
    }

    @Test("who lags while a gap is filled is told of the next gap after it")
    func laggingAgain() async throws {
        try await withScene { scene in
            for name: AccountName in ["a", "b", "c"] { try await scene.add(name) }
            let (hub, states) = (scene.vault.hub, scene.vault.states)
            var stream = scene.vault.events.makeAsyncIterator()
            func crowd() {
                for number in 1...1024 {
                    hub.publish(.adopted(generation: UInt64(number)), of: "c")
                }
            }
            for name: AccountName in ["a", "b"] {
                try await scene.setState(.signInNeeded, of: name)
            }
            states.tell()
            crowd()
            #expect(await stream.take(2).map(\.word) == ["missed", "a dead"])
            try await scene.setState(.signInNeeded, of: "c")
            states.tell()
            crowd()
            let told = await stream.take(4).map(\.word)
            #expect(told == ["b dead", "missed", "c dead", "c adopted 1"])
            await scene.vault.close()
            #expect(await stream.rest().count == 1023)
        }
    }

    @Test("streams that begin while two processes change accounts miss no change and repeat none")
    func crowd() async throws {
        try await withScene { scene in
            let names = (10...19).compactMap { AccountName("a-\($0)") }
            for name in names { try await scene.add(name) }
            let other = try await scene.openAgain()
            let vaults = [scene.vault, other]
            let listeners = try await withThrowingTaskGroup(of: [VaultEvent].self) { group in
                for round in 0..<6 {
                    for name in names {
                        let state: AccountState = round.isMultiple(of: 2) ? .signInNeeded : .active
                        try await scene.setState(state, of: name)
                        vaults[round % 2].states.tell()
                    }
                    for vault in vaults {
                        let events = vault.events
                        group.addTask {
                            var iterator = events.makeAsyncIterator()
                            return await iterator.rest()
                        }
                    }
                    await Task.yield()
                }
                try await scene.setState(.signInNeeded, of: names[0])
                for vault in vaults { await vault.close() }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(listeners.count == 12)
            for events in listeners {
                let positions = events.compactMap(\.position)
                #expect(positions.count == events.count)
                #expect(zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 })
                let last = Dictionary(events.map { ($0.account, $0.kind) }) { $1 }
                for name in names {
                    let isDead = name == names[0]
                    #expect((last[name] ?? .stateChanged(.active) == .signInNeeded) == isDead)
                }
            }
        }
    }

    @Test("what is told to listeners who do not keep up costs the same however much waits for them")
    func costOfAnEvent() {
        let hub = EventHub(lastChange: 0)
        let ids = (1...16).compactMap { _ in hub.addListener(.now) }
        #expect(ids.count == 16)
        let start = ContinuousClock.now
        for generation in 1...20_000 {
            hub.publish(.adopted(generation: UInt64(generation)), of: "work")
        }
        // With a copy of every backlog for every event it takes twenty times as long.
        #expect(ContinuousClock.now - start < .seconds(ResidentMemory.isSanitized ? 60 : 3))
    }
}
