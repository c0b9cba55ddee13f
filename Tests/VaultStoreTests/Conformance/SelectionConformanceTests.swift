import Testing

@testable import VaultStore

/// The current account.
@Suite struct SelectionConformanceTests {
    @Test(arguments: StoreKind.all)
    func theFirstAccountBecomesTheCurrentOne(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            #expect(try await store.selectedAccount() == nil)
            let first = try await store.insert(Fixture.account("work"))
            #expect(try await store.selectedAccount() == first.id)
            _ = try await store.insert(Fixture.account("home"))
            #expect(try await store.selectedAccount() == first.id)
        }
    }

    @Test(arguments: StoreKind.all)
    func switchingLastsThroughReplacingAndRefreshing(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            _ = try await store.insert(Fixture.account("work"))
            let home = try await store.insert(Fixture.account("home"))
            try await store.select("home")
            #expect(try await store.selectedAccount() == home.id)
            _ = try await store.replace(home, with: Fixture.account("home", grant: "again"))
            try await store.refresh("home", to: "next")
            #expect(try await store.selectedAccount() == home.id)
        }
    }

    @Test(arguments: StoreKind.all)
    func removingTheCurrentOneLeavesNone(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            let work = try await store.insert(Fixture.account("work"))
            _ = try await store.insert(Fixture.account("home"))
            _ = try await store.insert(Fixture.account("third"))
            try await store.remove("third")
            #expect(try await store.selectedAccount() == work.id)
            try await store.remove("work")
            #expect(try await store.selectedAccount() == nil)
            _ = try await store.insert(Fixture.account("fourth"))
            #expect(try await store.selectedAccount() == nil)
            try await store.select("home")
            #expect(try await store.selectedAccount() != nil)
        }
    }
}
