import Testing
import VaultCrypto

@testable import VaultTesting

@Suite struct LedgerTests {
    private func ledger(
        _ profile: RotationProfile,
        refreshTokenLifetime: Double? = nil
    ) -> Ledger {
        let mint = TokenMint(
            prefix: "canary",
            salt: "s",
            format: .opaque,
            issuer: "http://127.0.0.1",
            lifetime: 100
        )
        return Ledger(profile: profile, refreshTokenLifetime: refreshTokenLifetime, mint: mint)
    }

    /// A ledger with one grant, and its pair.
    private func granted(_ profile: RotationProfile) -> (Ledger, TokenPair) {
        var ledger = ledger(profile)
        let pair = ledger.issue(subject: "alice", client: "c", scope: "read write", now: 0)
        return (ledger, pair)
    }

    // MARK: - Profiles

    @Test func withoutRotationTheRefreshTokenStays() throws {
        var (ledger, first) = granted(.none)
        let second = try ledger.refresh(first.refreshToken, client: "c", scope: nil, now: 1)
        let third = try ledger.refresh(first.refreshToken, client: "c", scope: nil, now: 2)
        #expect(second.refreshToken == first.refreshToken)
        #expect(Set([first, second, third].map(\.accessToken)).count == 3)
        #expect(ledger.counters.refreshesPerSubject == ["alice": 2])
    }

    @Test func strictRevokesTheGrantWhenATokenComesAgain() throws {
        var (ledger, first) = granted(.strict)
        let second = try ledger.refresh(first.refreshToken, client: "c", scope: nil, now: 1)
        #expect(second.refreshToken != first.refreshToken)
        #expect(throws: LedgerRefusal.invalidGrant) {
            try ledger.refresh(first.refreshToken, client: "c", scope: nil, now: 1)
        }
        #expect(ledger.counters.reuseDetections == 1)
        #expect(ledger.grantsAlive == 0)
        #expect(ledger.grantsRevoked == 1)
        #expect(!ledger.accepts(refreshToken: second.refreshToken, now: 1))
        #expect(ledger.present(second.accessToken, now: 1) == nil)
        #expect(throws: LedgerRefusal.invalidGrant) {
            try ledger.refresh(second.refreshToken, client: "c", scope: nil, now: 1)
        }
        #expect(ledger.counters.reuseDetections == 1)
    }

    @Test func graceGivesTheCurrentPairOnceMore() throws {
        var (ledger, first) = granted(.grace(seconds: 10))
        let second = try ledger.refresh(first.refreshToken, client: "c", scope: nil, now: 1)
        let again = try ledger.refresh(first.refreshToken, client: "c", scope: nil, now: 11)
        #expect(again == second)
        #expect(ledger.counters.reuseDetections == 0)
    }

    @Test func afterTheGracePeriodReuseIsReuse() throws {
        var (ledger, first) = granted(.grace(seconds: 10))
        _ = try ledger.refresh(first.refreshToken, client: "c", scope: nil, now: 1)
        #expect(throws: LedgerRefusal.invalidGrant) {
            try ledger.refresh(first.refreshToken, client: "c", scope: nil, now: 11.5)
        }
        #expect(ledger.counters.reuseDetections == 1)
    }

    @Test func graceHoldsForTheLastTokenOnly() throws {
        var (ledger, first) = granted(.grace(seconds: 10))
        let second = try ledger.refresh(first.refreshToken, client: "c", scope: nil, now: 1)
        _ = try ledger.refresh(second.refreshToken, client: "c", scope: nil, now: 2)
        #expect(throws: LedgerRefusal.invalidGrant) {
            try ledger.refresh(first.refreshToken, client: "c", scope: nil, now: 3)
        }
        #expect(ledger.counters.reuseDetections == 1)
    }

    @Test func oneUseGraceGivesTheCurrentPairASecondTimeAndNoThird() throws {
        var (ledger, first) = granted(.graceOnce(seconds: 10))
        let second = try ledger.refresh(first.refreshToken, client: "c", scope: nil, now: 1)
        #expect(try ledger.refresh(first.refreshToken, client: "c", scope: nil, now: 2) == second)
        #expect(!ledger.accepts(refreshToken: first.refreshToken, now: 3))
        let third = try ledger.refresh(second.refreshToken, client: "c", scope: nil, now: 3)
        // Each token has its own second use.
        #expect(try ledger.refresh(second.refreshToken, client: "c", scope: nil, now: 4) == third)
        #expect(ledger.counters.reuseDetections == 0)
        #expect(throws: LedgerRefusal.invalidGrant) {
            try ledger.refresh(second.refreshToken, client: "c", scope: nil, now: 5)
        }
        #expect(ledger.counters.reuseDetections == 1 && ledger.grantsAlive == 0)
    }

    @Test func oneUseGraceEndsWithItsTime() throws {
        var (ledger, first) = granted(.graceOnce(seconds: 10))
        _ = try ledger.refresh(first.refreshToken, client: "c", scope: nil, now: 1)
        #expect(throws: LedgerRefusal.invalidGrant) {
            try ledger.refresh(first.refreshToken, client: "c", scope: nil, now: 11.5)
        }
        #expect(ledger.grantsAlive == 0)
    }

    @Test func ackOnUseKeepsTheOldTokenUntilTheNewOneIsShown() throws {
        var (ledger, first) = granted(.ackOnUse)
        let lost = try ledger.refresh(first.refreshToken, client: "c", scope: nil, now: 1)
        let second = try ledger.refresh(first.refreshToken, client: "c", scope: nil, now: 2)
        #expect(lost != second)
        #expect(ledger.present(second.accessToken, now: 3) == second)
        for dead in [first, lost] {
            #expect(throws: LedgerRefusal.invalidGrant) {
                try ledger.refresh(dead.refreshToken, client: "c", scope: nil, now: 4)
            }
        }
        #expect(ledger.accepts(refreshToken: second.refreshToken, now: 4))
        #expect(ledger.grantsAlive == 1)
    }

    @Test func ackOnUseTakesTheNewRefreshTokenForAnAcknowledgement() throws {
        var (ledger, first) = granted(.ackOnUse)
        let second = try ledger.refresh(first.refreshToken, client: "c", scope: nil, now: 1)
        _ = try ledger.refresh(second.refreshToken, client: "c", scope: nil, now: 2)
        #expect(!ledger.accepts(refreshToken: first.refreshToken, now: 2))
    }

    // MARK: - What holds for all

    @Test(
        "a refresh is refused for another client, a wider scope and an unknown token",
        arguments: [
            ("d", nil, LedgerRefusal.invalidGrant), ("c", "read admin", .invalidScope),
        ]
    )
    func refused(client: String, scope: String?, refusal: LedgerRefusal) {
        var (ledger, pair) = granted(.strict)
        #expect(throws: refusal) {
            try ledger.refresh(pair.refreshToken, client: client, scope: scope, now: 1)
        }
        #expect(throws: LedgerRefusal.invalidGrant) {
            try ledger.refresh(Secret("unknown"), client: "c", scope: nil, now: 1)
        }
        #expect(ledger.accepts(refreshToken: pair.refreshToken, now: 1))
    }

    @Test func aNarrowerScopeIsOfThatAccessTokenOnly() throws {
        var (ledger, first) = granted(.strict)
        let narrow = try ledger.refresh(first.refreshToken, client: "c", scope: "read", now: 1)
        #expect(narrow.scope == "read")
        let wide = try ledger.refresh(narrow.refreshToken, client: "c", scope: nil, now: 1)
        #expect(wide.scope == "read write")
    }

    @Test("an access token lives until its expiry", arguments: [(99.9, true), (100, false)])
    func accessTokenExpiry(now: Double, accepted: Bool) {
        var (ledger, pair) = granted(.strict)
        #expect((ledger.present(pair.accessToken, now: now) != nil) == accepted)
        #expect(ledger.counters.apiAccepted == (accepted ? 1 : 0))
        #expect(ledger.counters.apiRefused == (accepted ? 0 : 1))
    }

    @Test func anUnusedRefreshTokenEndsAndUseRenewsIt() throws {
        var ledger = ledger(.none, refreshTokenLifetime: 50)
        let pair = ledger.issue(subject: "alice", client: "c", scope: "", now: 0)
        _ = try ledger.refresh(pair.refreshToken, client: "c", scope: nil, now: 49)
        _ = try ledger.refresh(pair.refreshToken, client: "c", scope: nil, now: 98)
        #expect(throws: LedgerRefusal.invalidGrant) {
            try ledger.refresh(pair.refreshToken, client: "c", scope: nil, now: 148)
        }
    }

    @Test func revokingARefreshTokenEndsTheGrantAndAnAccessTokenOnlyItself() throws {
        var (ledger, first) = granted(.none)
        ledger.revoke(first.accessToken, client: "c")
        #expect(ledger.present(first.accessToken, now: 1) == nil)
        let second = try ledger.refresh(first.refreshToken, client: "c", scope: nil, now: 1)
        ledger.revoke(first.refreshToken, client: "another")
        #expect(ledger.present(second.accessToken, now: 1) != nil)
        ledger.revoke(first.refreshToken, client: "c")
        #expect(ledger.present(second.accessToken, now: 1) == nil)
        #expect(ledger.grantsRevoked == 1)
    }

    @Test func tokensBeginWithThePrefixAndAJWTEndsInIt() {
        let (_, pair) = granted(.strict)
        #expect(pair.accessToken.reveal { $0.hasPrefix("canary-at-") })
        #expect(pair.refreshToken.reveal { $0.hasPrefix("canary-rt-") })
        var mint = TokenMint(
            prefix: "canary",
            salt: "s",
            format: .jwt,
            issuer: "http://127.0.0.1",
            lifetime: 60
        )
        let jwt = mint.pair(subject: "alice", client: "c", scope: "", now: 40).accessToken
        let parts = jwt.reveal { $0.split(separator: ".").map(String.init) }
        #expect(parts.count == 3)
        #expect(parts.last?.hasPrefix("canary-at-") == true)
    }
}
