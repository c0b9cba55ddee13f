import FoundationEssentials
import Testing
import VaultCrypto

@testable import VaultStore

/// No grant is taken in twice.
@Suite struct GrantConformanceTests {
    @Test(arguments: StoreKind.all)
    func theHashOfATokenIsItsOwn(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            let hashes = try await ["a", "b", "", "a\0"].asyncMap { token in
                try await store.spentTokenHash(of: Secret(token))
            }
            #expect(Set(hashes).count == hashes.count)
            #expect(hashes.allSatisfy { $0.count == 32 })
            #expect(try await open().spentTokenHash(of: Secret("a")) == hashes[0])
        }
    }

    @Test(arguments: StoreKind.all)
    func aGrantThatAnotherAccountHoldsIsRefused(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            _ = try await store.insert(Fixture.account("work", grant: "one"))
            let home = try await store.insert(Fixture.account("home", grant: "two"))
            await #expect(throws: StoreError.grantKnown(.stored(in: "work"))) {
                try await store.insert(Fixture.account("third", grant: "one"))
            }
            await #expect(throws: StoreError.grantKnown(.stored(in: "work"))) {
                try await store.replace(home, with: Fixture.account("home", grant: "one"))
            }
            #expect(try await store.account(named: "home") == home)
        }
    }

    @Test(arguments: StoreKind.all)
    func anAccountMayBeReplacedWithTheGrantItHolds(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            let work = try await store.insert(Fixture.account("work"))
            _ = try await store.replace(work, with: Fixture.account("work"))
        }
    }

    @Test(arguments: StoreKind.all)
    func aSpentGrantIsRefusedEverywhereAndForEver(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            _ = try await store.insert(Fixture.account("work", grant: "one"))
            try await store.refresh("work", to: "two")
            let work = try await store.account(named: "work")
            await #expect(throws: StoreError.grantKnown(.spent)) {
                try await store.replace(work, with: Fixture.account("work", grant: "one"))
            }
            for _ in 0..<2 {
                await #expect(throws: StoreError.grantKnown(.spent)) {
                    try await store.insert(Fixture.account("home", grant: "one"))
                }
                // Spent tokens outlive their account.
                try? await store.remove("work")
            }
            _ = try await store.insert(Fixture.account("work", grant: "two"))
        }
    }

    @Test(arguments: StoreKind.all)
    func aGrantSpentForAPairThatCameTooLateIsSpent(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            _ = try await store.insert(Fixture.account("work", grant: "one"))
            let claim = try await store.claim("work")
            let spent = try await store.spentTokenHash(of: Secret("refresh-one"))
            try await store.remove("work")
            _ = try await store.install(Fixture.pair("two", spent: spent), for: claim)
            await #expect(throws: StoreError.grantKnown(.spent)) {
                try await store.insert(Fixture.account("work", grant: "one"))
            }
        }
    }

    @Test(arguments: StoreKind.all)
    func aRefreshTokenThatComesBackUnchangedIsNotSpent(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            _ = try await store.insert(Fixture.account("work", grant: "one"))
            _ = try await store.install(Fixture.pair("one"), for: store.claim("work"))
            await #expect(throws: StoreError.grantKnown(.stored(in: "work"))) {
                try await store.insert(Fixture.account("home", grant: "one"))
            }
            try await store.remove("work")
            _ = try await store.insert(Fixture.account("home", grant: "one"))
        }
    }

    @Test(arguments: StoreKind.all)
    func accountsWithoutARefreshTokenHaveNothingInCommon(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            for name in ["one", "two"] as [AccountName] {
                var account = Fixture.account(name)
                account.tokens.refreshToken = nil
                _ = try await store.insert(account)
            }
            #expect(try await store.accounts(after: nil, limit: 9).count == 2)
        }
    }
}

extension Sequence {
    fileprivate func asyncMap<Result>(
        _ transform: (Element) async throws -> Result
    ) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
