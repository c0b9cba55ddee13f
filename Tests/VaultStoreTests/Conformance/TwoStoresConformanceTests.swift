import FoundationEssentials
import Testing

@testable import VaultStore

/// Two stores open on the same place, as in two processes.
@Suite struct TwoStoresConformanceTests {
    @Test(arguments: StoreKind.all)
    func eachSeesWhatTheOtherWrote(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let (one, two) = (try open(), try open())
            let inserted = try await one.insert(Fixture.account("work"))
            #expect(try await two.account(named: "work") == inserted)
            #expect(try await two.selectedAccount() == inserted.id)
            try await two.refresh("work", to: "next")
            #expect(try await one.account(named: "work").tokens == Fixture.tokens("next"))
            #expect(try await one.nextDue() == Fixture.pair("next").due)
            _ = try await one.remove("work")
            #expect(try await two.account(inserted.id) == nil)
            #expect(try await two.selectedAccount() == nil)
        }
    }

    @Test(arguments: StoreKind.all)
    func onlyOneOfTwoPairsIsInstalled(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let (one, two) = (try open(), try open())
            _ = try await one.insert(Fixture.account("work"))
            let (first, second) = (try await one.claim("work"), try await two.claim("work"))
            #expect(try await two.install(Fixture.pair("b"), for: second) != .superseded)
            #expect(try await one.install(Fixture.pair("a"), for: first) == .superseded)
            #expect(try await one.account(named: "work").tokens == Fixture.tokens("b"))
        }
    }

    @Test(arguments: StoreKind.all)
    func oneNameIsGivenOnceByManyWriters(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let stores = try (0..<4).map { _ in try open() }
            let inserted = await withTaskGroup(of: Bool.self) { group in
                for (index, store) in stores.enumerated() {
                    group.addTask {
                        let account = Fixture.account("work", grant: "\(index)")
                        return (try? await store.insert(account)) != nil
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(inserted == 1)
        }
    }

    @Test(arguments: StoreKind.all)
    func theChangeCounterChangesWithTheOthersWritesAlone(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let (one, two) = (try open(), try open())
            let atFirst = try await two.changeCounter()
            _ = try await two.accounts(after: nil, limit: 1)
            _ = try await one.accounts(after: nil, limit: 1)
            #expect(try await two.changeCounter() == atFirst)
            var seen = [atFirst]
            for step in ["insert", "insert another", "refresh", "select", "remove"] {
                switch step {
                case "insert": _ = try await one.insert(Fixture.account("work"))
                case "insert another": _ = try await one.insert(Fixture.account("home"))
                case "refresh": try await one.refresh("work", to: "next")
                case "select": try await one.select("home")
                default: _ = try await one.remove("work")
                }
                seen.append(try await two.changeCounter())
            }
            #expect(Set(seen).count == seen.count)
        }
    }

    @Test(arguments: StoreKind.all)
    func readersAndWritersNeverMeetALock(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let stores = try (0..<4).map { _ in try open() }
            _ = try await stores[0].insert(Fixture.account("work"))
            _ = try await stores[0].insert(Fixture.account("home"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, store) in stores.enumerated() {
                    group.addTask {
                        for step in 0..<40 {
                            _ = try await store.account(named: "work")
                            _ = try await store.due(before: .distantFuture, limit: 2)
                            guard index < 2 else { continue }
                            try await store.refresh(
                                index == 0 ? "work" : "home",
                                to: "\(index) \(step)"
                            )
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await stores[3].account(named: "work").generation == 41)
            #expect(try await stores[3].account(named: "home").generation == 41)
        }
    }
}
