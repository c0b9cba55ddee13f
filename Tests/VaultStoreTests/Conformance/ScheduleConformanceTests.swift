import FoundationEssentials
import Testing

@testable import VaultStore

/// What is due, in which order.
@Suite struct ScheduleConformanceTests {
    private static func time(_ seconds: TimeInterval) -> Date {
        Fixture.now.addingTimeInterval(seconds)
    }

    @Test(arguments: StoreKind.all)
    func whatIsDueComesEarliestFirst(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            #expect(try await store.nextDue() == nil)
            let dues: [(AccountName, TimeInterval?)] = [
                ("c", 30), ("never", nil), ("a", -10), ("d", 40), ("b", 20),
            ]
            for (name, due) in dues {
                let account = Fixture.account(name, due: due.map { Self.time($0) })
                _ = try await store.insert(account)
            }
            let due = try await store.due(before: Self.time(30), limit: 10)
            #expect(due.map(\.name) == ["a", "b", "c"])
            #expect(
                try await store.due(before: Self.time(100), limit: 2).map(\.name) == ["a", "b"]
            )
            #expect(try await store.due(before: Self.time(-11), limit: 10).isEmpty)
            #expect(try await store.nextDue() == Self.time(-10))
        }
    }

    @Test(arguments: StoreKind.all)
    func aHintSaysWhatTheAccountSays(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            let account = try await store.insert(Fixture.account("work"))
            let hint = AccountHint(
                number: account.number,
                name: "work",
                state: .active,
                expiry: Self.time(3600),
                due: Self.time(3000)
            )
            var found = try await store.due(before: Self.time(9999), limit: 1)
            #expect(found.first?.client?.count == 32)
            found[0].client = nil
            #expect(found == [hint])
        }
    }

    @Test(arguments: StoreKind.all)
    func everyWriteMovesTheAccountInTheQueue(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            let work = try await store.insert(Fixture.account("work", due: Self.time(1)))
            var pair = Fixture.pair("next", due: Self.time(2))
            _ = try await store.install(pair, for: store.claim("work"))
            #expect(try await store.nextDue() == Self.time(2))
            let health = StoredAccount.Health(state: .backingOff, due: Self.time(3))
            try await store.abandon(
                store.claim("work"),
                as: Abandonment(health: health, outcomeIsUnknown: false)
            )
            #expect(try await store.nextDue() == Self.time(3))
            let current = try await store.account(named: "work")
            let again = Fixture.account("work", grant: "again", due: Self.time(4))
            _ = try await store.replace(current, with: again)
            #expect(try await store.nextDue() == Self.time(4))
            pair.due = nil
            _ = try await store.install(pair, for: store.claim("work"))
            #expect(try await store.nextDue() == nil)
            #expect(work.number == (try await store.account(named: "work").number))
        }
    }

    @Test(arguments: StoreKind.all)
    func aRemovedAccountIsNotDue(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            _ = try await store.insert(Fixture.account("work"))
            try await store.remove("work")
            #expect(try await store.nextDue() == nil)
            #expect(try await store.due(before: .distantFuture, limit: 9).isEmpty)
        }
    }
}
