import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultStore
import VaultTesting

@testable import VaultKit

@Suite struct TokenCacheTests {
    @Test("the cache takes in an account that was added anew, whose generations start over")
    func cacheOfAReplacedAccount() throws {
        let cache = TokenCache()
        func token(_ generation: UInt64) -> AccessToken {
            AccessToken(
                account: "work",
                value: Secret("\(generation)"),
                tokenType: "Bearer",
                expiry: nil,
                generation: generation,
                grantedScope: nil,
                warning: nil
            )
        }
        func lookup(_ now: Moment) -> TokenLookup {
            TokenLookup(minimumLifetime: nil, newerThan: nil, now: now)
        }
        func cached(at now: Moment) -> UInt64? {
            cache.token(of: "work", lookup(now))?.generation
        }
        cache.remember(token(5), .fixture(), lookup(.fixed))
        cache.remember(token(4), .fixture(), lookup(.fixed))
        #expect(cached(at: .fixed) == 5)
        let later = Moment.fixed.advanced(by: 1)
        #expect(cached(at: later) == nil)
        cache.remember(token(1), .fixture(), lookup(later))
        #expect(cached(at: later) == 1)
    }

    @Test("the cache holds sixteen tokens of an account, and none that it does not hand out")
    func cacheIsBounded() throws {
        let cache = TokenCache()
        var account = StoredAccount.fixture()
        func remember(_ number: Int, at now: Moment) throws {
            let request = AccessTokenRequest(scope: Scope(["s\(number)"]), resource: nil)
            var token = StoredAccessToken.fixture(lifetime: 3600)
            token.requested = request
            account.tokens.accessTokens = [token]
            var lookup = TokenLookup(minimumLifetime: nil, newerThan: nil, now: now)
            lookup.request = request
            cache.remember(try lookup.fresh(account), account, lookup)
            #expect(cache.token(of: "work", lookup) != nil)
        }
        for number in 1...40 {
            try remember(number, at: Moment.fixed.advanced(by: Double(number) / 1000))
        }
        #expect(cache.entryCount(of: "work") == 16)
        try remember(41, at: Moment.fixed.advanced(by: 1))
        #expect(cache.entryCount(of: "work") == 1)
    }

    @Test("what was read long ago goes, however many accounts there are, and what is new stays")
    func cacheOfVeryManyAccounts() throws {
        let cache = TokenCache()
        let count = 5000
        func name(_ number: Int) throws -> AccountName { try #require(AccountName("a\(number)")) }
        func lookup(_ number: Int) -> TokenLookup {
            let now = Moment.fixed.advanced(by: Double(number) / 1000)
            return TokenLookup(minimumLifetime: nil, newerThan: nil, now: now)
        }
        for number in 0..<count {
            let found = TokenAtHand(token: .fixture(lifetime: 3600), generation: 1)
            let lookup = lookup(number)
            let token = AccessToken(found, of: try name(number), now: lookup.now)
            cache.remember(token, found.token, lookup)
            // Every other one goes at once: those around it have to be found nevertheless.
            if number.isMultiple(of: 2) { cache.forget(try name(number)) }
        }
        let end = lookup(count - 1)
        let served = try (0..<count).filter { cache.token(of: try name($0), end) != nil }
        #expect(served == (count - 250..<count).filter { !$0.isMultiple(of: 2) })
        let kept = try (0..<count).map { cache.entryCount(of: try name($0)) }.reduce(0, +)
        #expect(kept <= 250)
    }
}
