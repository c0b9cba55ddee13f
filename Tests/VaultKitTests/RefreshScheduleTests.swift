import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultStore

@testable import VaultKit

@Suite struct RefreshScheduleTests {
    @Test("E6: a back-off planned before the wall clock was set back keeps nobody waiting")
    func backoffBeforeAStep() {
        // Failed two hours from now, by the clock as it stood then.
        let stepped = StoredAccount.fixture(
            failure: "unreachable",
            failedBefore: -7200,
            dueIn: 7210
        )
        #expect(RefreshSchedule.isDue(stepped, at: .fixed))
        let waiting = StoredAccount.fixture(failure: "unreachable", failedBefore: 1, dueIn: 10)
        #expect(!RefreshSchedule.isDue(waiting, at: .fixed))
    }

    @Test(
        "the lead is a fifth of the lifetime within 1 and 15 minutes, two fifths of a short one",
        arguments: [
            (1.0, 0.4), (60, 24), (299, 119.6), (300, 60), (600, 120), (3600, 720), (4500, 900),
            (86_400, 900), (1e12, 900),
        ]
    )
    func lead(lifetime: Double, expected: Double) {
        #expect(abs(RefreshSchedule.lead(lifetime: lifetime) - expected) < 1e-9)
    }

    @Test(
        "a refresh is due after two fifths of the lifetime, and before the lead begins",
        arguments: [1.0, 5, 60, 299, 300, 900, 3600, 86_400, 7_776_000]
    )
    func delayBounds(lifetime: Double) {
        let lead = RefreshSchedule.lead(lifetime: lifetime)
        for generation in 1...200 as ClosedRange<UInt64> {
            let delay = RefreshSchedule.delay(
                lifetime: lifetime,
                refreshIn: nil,
                account: .random(),
                generation: generation
            )
            // The first one is spread wider to both sides.
            let isFirst = generation == 1
            let shortest = isFirst ? max(lead / 2, min(lead, 60)) : lead
            #expect(delay <= max(1, lifetime - shortest))
            #expect(delay >= max(1, lifetime - lead * (isFirst ? 3 : 1.5)) - 1e-9)
            #expect(delay >= lifetime * 0.4)
        }
    }

    @Test(
        "a refresh never comes before its provider allows it, whatever the jitter",
        arguments: [(600.0, 30.0), (600, 119), (3600, 30), (3600, 720), (3600, 5000), (60, 30)]
    )
    func providersLead(lifetime: Double, allowed: Double) throws {
        var provider = try #require(ProviderCatalogue.builtIn["github"])
        provider.refreshLead = allowed
        let earliest = lifetime - allowed
        let delays = (1...200 as ClosedRange<UInt64>).map { generation in
            RefreshSchedule.delay(
                lifetime: lifetime,
                refreshIn: nil,
                provider: provider,
                account: .random(),
                generation: generation
            )
        }
        #expect(delays.allSatisfy { $0 >= earliest - 1e-9 && $0 < lifetime })
        // They are spread within that, and no farther than without it.
        #expect(Set(delays).count > 100)
        let lead = RefreshSchedule.lead(lifetime: lifetime)
        #expect(delays.dropFirst().allSatisfy { $0 >= lifetime - lead * 1.5 })
    }

    @Test(
        "C02, C03, server C17: an unknown lifetime is planned as an hour",
        arguments: [nil, 0, -5] as [Double?]
    )
    func unknownLifetime(lifetime: Double?) {
        let delay = RefreshSchedule.delay(
            lifetime: lifetime,
            refreshIn: nil,
            account: .fixture,
            generation: 2
        )
        #expect((2520.0...2880).contains(delay))
    }

    @Test("the jitter is the same after a restart and another for each generation and account")
    func jitterIsDeterministic() {
        func delay(_ account: AccountID, _ generation: UInt64) -> Double {
            RefreshSchedule.delay(
                lifetime: 3600,
                refreshIn: nil,
                account: account,
                generation: generation
            )
        }
        #expect(delay(.fixture, 3) == delay(.fixture, 3))
        let byGeneration = Set((1...100).map { delay(.fixture, $0) })
        #expect(byGeneration.count == 100)
        let byAccount = (1...1000).map { _ in delay(.random(), 2) }.sorted()
        // Spread over all of the 360 seconds, no tenth of them empty or crowded.
        for tenth in 0..<10 {
            let low = 2520 + Double(tenth) * 36
            let count = byAccount.count { (low..<low + 36).contains($0) }
            #expect((50...160).contains(count))
        }
    }

    @Test(
        "server E12: refresh_in is honoured, but never before two fifths of the lifetime (DESIGN 5)"
    )
    func refreshIn() {
        func delay(_ refreshIn: Double?, lifetime: Double? = 3600) -> Double {
            RefreshSchedule.delay(
                lifetime: lifetime,
                refreshIn: refreshIn,
                account: .fixture,
                generation: 1
            )
        }
        #expect((1800.0...2160).contains(delay(1800)))
        #expect(delay(60) == 1440)
        #expect(delay(1e9) == delay(nil))
        #expect(delay(1, lifetime: nil) >= 30)
    }

    @Test(
        "D01, D09: by default a token has a minute left, or a quarter of its life",
        arguments: [
            (3600.0, 60.0, true), (3600, 59.999, false), (3600, 0, false), (3600, -1, false),
            (240, 60, true), (100, 25, true), (100, 24.9, false), (1, 0.25, true), (1, 0.2, false),
        ]
    )
    func goodByDefault(lifetime: Double, left: Double, expected: Bool) {
        let token = StoredAccessToken.fixture(lifetime: lifetime, age: lifetime - left)
        #expect(
            RefreshSchedule.isGood(token, minimumLifetime: nil, at: .fixed) == expected
        )
    }

    @Test(
        "no token is promised to last longer than until its provider grants the next",
        arguments: [
            (31.0, nil, true), (30, nil, true), (29.9, nil, false), (40, 60, false),
        ] as [(Double, Double?, Bool)]
    )
    func goodUntilTheNext(left: Double, minimum: Double?, expected: Bool) throws {
        var account = StoredAccount.fixture(lifetime: 600, age: 600 - left)
        account.settings.refresh.provider = "exact-online"
        let lookup = TokenLookup(minimumLifetime: minimum, newerThan: nil, now: .fixed)
        let isServed = if case .serve = lookup.decide(account) { true } else { false }
        #expect(isServed == expected)
        let token = try #require(account.tokens.defaultToken)
        #expect(RefreshSchedule.promise(of: token, provider: account.settings.provider) == 30)
        #expect(RefreshSchedule.promise(of: token, provider: nil) == 60)
    }

    @Test(
        "a caller's own minimum decides alone",
        arguments: [(0.0, 1.0, true), (30, 29, false), (30, 30, true), (1800, 1200, false)]
    )
    func goodForMinimum(minimum: Double, left: Double, expected: Bool) {
        let token = StoredAccessToken.fixture(lifetime: 3600, age: 3600 - left)
        #expect(
            RefreshSchedule.isGood(token, minimumLifetime: minimum, at: .fixed) == expected
        )
    }

    @Test(
        "what cannot be renewed is handed out with five seconds left, or a quarter of its life",
        arguments: [
            (3600.0, 5.0, true), (3600, 4.9, false), (20, 5, true), (8, 2, true), (8, 1.9, false),
        ]
    )
    func usable(lifetime: Double, left: Double, expected: Bool) {
        let token = StoredAccessToken.fixture(lifetime: lifetime, age: lifetime - left)
        #expect(RefreshSchedule.isUsable(token, at: .fixed) == expected)
    }

    @Test("C02: a token of unknown expiry is good until a 401 says otherwise")
    func unknownExpiryIsGood() {
        let token = StoredAccessToken.fixture(lifetime: nil, age: 1e6)
        #expect(RefreshSchedule.isGood(token, minimumLifetime: nil, at: .fixed))
        #expect(RefreshSchedule.isGood(token, minimumLifetime: 1e5, at: .fixed))
        #expect(RefreshSchedule.isUsable(token, at: .fixed))
    }

    @Test("E6: stepping the wall clock within one boot neither expires a token nor revives one")
    func wallStepsWithinABoot() {
        let token = StoredAccessToken.fixture(lifetime: 3600, age: 3000)
        for step in [-7200.0, 7200, 1e8] {
            let now = Moment(
                wall: Moment.fixed.wall.addingTimeInterval(step),
                bootID: Moment.fixed.bootID,
                uptime: Moment.fixed.uptime
            )
            #expect(token.secondsLeft(at: now) == 600)
            #expect(RefreshSchedule.isGood(token, minimumLifetime: nil, at: now))
            #expect(!RefreshSchedule.isGood(token, minimumLifetime: 601, at: now))
        }
    }

    @Test("E6: a token from the future of a clock that was set back is not good")
    func tokenFromTheFuture() {
        let token = StoredAccessToken.fixture(lifetime: 3600, age: -7200)
        let now = Moment(wall: Moment.fixed.wall, bootID: "boot-2", uptime: 10)
        #expect(!RefreshSchedule.isGood(token, minimumLifetime: nil, at: now))
        // It is still the best there is when nothing can be renewed.
        #expect(RefreshSchedule.isUsable(token, at: now))
    }

    @Test(
        "back-off doubles from 2 seconds up to its cap, with full jitter and never under half a second",
        arguments: [
            (1, true, 2.0), (2, true, 4), (3, true, 8), (8, true, 256), (9, true, 300),
            (1000, true, 300), (9, false, 512), (11, false, 1800), (.max, false, 1800),
        ]
    )
    func backoff(failures: Int, isAlive: Bool, bound: Double) {
        func delay(_ random: Double) -> Double {
            RefreshSchedule.backoff(failures: failures, tokenIsAlive: isAlive, random: random)
        }
        #expect(delay(1) == bound)
        #expect(delay(0.5) == bound / 2)
        #expect(delay(0) == 0.5)
    }
}
