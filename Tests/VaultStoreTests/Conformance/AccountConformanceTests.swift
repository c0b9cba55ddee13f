import FoundationEssentials
import Testing

@testable import VaultStore

/// Adding, replacing, removing and reading accounts.
@Suite struct AccountConformanceTests {
    @Test(arguments: StoreKind.all)
    func anAccountReadsBackAsItWasStored(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            for new in [Fixture.account("plain"), Fixture.fullAccount("full")] {
                let stored = try await store.insert(new)
                #expect(stored.settings == new.settings)
                #expect(stored.tokens == new.tokens)
                #expect(stored.health == new.health)
                #expect(stored.intent == nil)
                #expect(try await store.account(named: new.settings.name) == stored)
                #expect(try await store.account(stored.id) == stored)
            }
        }
    }

    @Test(arguments: StoreKind.all)
    func anAccountThatIsNotThereIsSaidNotToBe(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            let removed = try await store.insert(Fixture.account("work"))
            try await store.remove("work")
            #expect(try await store.account(removed.id) == nil)
            for name in ["work", "Work", "other"] as [AccountName] {
                await #expect(throws: StoreError.noSuchAccount(name)) {
                    try await store.account(named: name)
                }
            }
            await #expect(throws: StoreError.noSuchAccount("work")) {
                try await store.remove("work")
            }
            await #expect(throws: StoreError.noSuchAccount("work")) {
                try await store.select("work")
            }
        }
    }

    @Test(arguments: StoreKind.all)
    func aNameIsGivenOnce(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            let first = try await store.insert(Fixture.account("work"))
            await #expect(throws: StoreError.nameTaken("work")) {
                try await store.insert(Fixture.account("work", grant: "other"))
            }
            #expect(try await store.account(named: "work") == first)
            // Names are compared byte by byte.
            _ = try await store.insert(Fixture.account("Work"))
        }
    }

    @Test(arguments: StoreKind.all)
    func replacingIsTheNextGenerationOfTheSameAccount(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            let before = try await store.insert(Fixture.fullAccount("work"))
            _ = try await store.claim("work")
            let claimed = try await store.account(named: "work")
            let new = Fixture.account("work", grant: "again")
            let after = try await store.replace(claimed, with: new)
            #expect(after.id == before.id)
            #expect(after.number == before.number)
            #expect(after.generation == before.generation + 1)
            #expect(after.revision == before.revision + 1)
            #expect(after.settings == new.settings)
            #expect(after.tokens == new.tokens)
            #expect(after.intent == nil)
            #expect(try await store.account(named: "work") == after)
        }
    }

    @Test(arguments: StoreKind.all)
    func replacingCanRename(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            let work = try await store.insert(Fixture.account("work"))
            _ = try await store.insert(Fixture.account("home"))
            await #expect(throws: StoreError.nameTaken("home")) {
                try await store.replace(work, with: Fixture.account("home", grant: "work"))
            }
            let renamed = try await store.replace(work, with: Fixture.account("job", grant: "work"))
            #expect(try await store.account(named: "job") == renamed)
            await #expect(throws: StoreError.noSuchAccount("work")) {
                try await store.account(named: "work")
            }
        }
    }

    @Test(arguments: StoreKind.all, ["refreshed", "replaced", "removed"])
    func replacingWhatHasMovedOnIsRefused(_ kind: StoreKind, move: String) async throws {
        try await kind.withStore { open in
            let store = try open()
            let seen = try await store.insert(Fixture.account("work"))
            switch move {
            case "refreshed": try await store.refresh("work", to: "next")
            case "replaced":
                _ = try await store.replace(seen, with: Fixture.account("work", grant: "next"))
            default: try await store.remove("work")
            }
            let now = try await store.account(seen.id)
            await #expect(throws: StoreError.superseded) {
                try await store.replace(seen, with: Fixture.account("work", grant: "late"))
            }
            #expect(try await store.account(seen.id) == now)
        }
    }

    @Test(arguments: StoreKind.all)
    func removingTakesOneAccount(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            _ = try await store.insert(Fixture.account("work"))
            let home = try await store.insert(Fixture.account("home"))
            try await store.remove("work")
            #expect(try await store.accounts(after: nil, limit: 10) == [home])
        }
    }

    @Test(arguments: StoreKind.all)
    func numbersAndIdentifiersAreNeverGivenTwice(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            var seen: [StoredAccount] = []
            for _ in 0..<4 {
                seen.append(try await store.insert(Fixture.account("work")))
                try await store.remove("work")
            }
            #expect(Set(seen.map(\.id)).count == 4)
            #expect(seen.map(\.number) == seen.map(\.number).sorted())
            #expect(Set(seen.map(\.number)).count == 4)
        }
    }

    @Test(arguments: StoreKind.all)
    func pagesComeInTheOrderOfTheNamesBytes(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            let names: [AccountName] = ["0", "Z", "a", "a-b", "a.b", "ab", "b"]
            for name in names.shuffled() { _ = try await store.insert(Fixture.account(name)) }
            var pages: [[AccountName]] = []
            repeat {
                let page = try await store.accounts(after: pages.last?.last, limit: 3)
                pages.append(page.map(\.name))
            } while pages.last?.isEmpty == false
            #expect(pages == [["0", "Z", "a"], ["a-b", "a.b", "ab"], ["b"], []])
            #expect(try await store.accounts(after: nil, limit: 0).isEmpty)
            // The name that a page starts after need not be there any more.
            #expect(try await store.accounts(after: "aa", limit: 1).map(\.name) == ["ab"])
        }
    }
}
