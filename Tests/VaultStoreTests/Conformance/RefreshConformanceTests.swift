import FoundationEssentials
import Platform
import Testing

@testable import VaultStore

/// Claim, install, abandon: each changes the account only as long as nobody else has.
@Suite struct RefreshConformanceTests {
    @Test(arguments: StoreKind.all)
    func aClaimLeavesItsIntentAndNothingElse(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            var expected = try await store.insert(Fixture.account("work"))
            for attempt in 1...2 {
                let hash = [UInt8](repeating: UInt8(attempt), count: 32)
                let intent = Fixture.intent(hash, attempt: attempt)
                let claim = try await store.claim(expected, intent: intent)
                #expect(claim.account == expected.id)
                #expect(claim.number == expected.number)
                #expect(claim.generation == expected.generation)
                expected.intent = intent
                #expect(try await store.account(named: "work") == expected)
            }
        }
    }

    @Test(arguments: StoreKind.all)
    func installingIsTheNextGeneration(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            let before = try await store.insert(Fixture.fullAccount("work"))
            let bystander = try await store.insert(Fixture.account("home"))
            let pair = Fixture.pair("next")
            let outcome = try await store.install(pair, for: store.claim("work"))
            #expect(outcome == .installed(generation: before.generation + 1))
            let after = try await store.account(named: "work")
            #expect(after.generation == before.generation + 1)
            #expect(after.revision == before.revision)
            #expect(after.settings == before.settings)
            #expect(after.tokens == pair.tokens)
            #expect(after.intent == nil)
            let health = StoredAccount.Health(state: .active, due: pair.due, since: pair.now)
            #expect(after.health == health)
            #expect(try await store.account(named: "home") == bystander)
        }
    }

    @Test(arguments: StoreKind.all, Move.allCases)
    func aClaimOnWhatHasMovedOnIsRefused(_ kind: StoreKind, move: Move) async throws {
        try await kind.withStore { open in
            let store = try open()
            let seen = try await store.insert(Fixture.account("work"))
            try await move.make(store, seen)
            let now = try await store.account(seen.id)
            await #expect(throws: StoreError.superseded) {
                try await store.claim(seen, intent: Fixture.intent([]))
            }
            #expect(try await store.account(seen.id) == now)
        }
    }

    @Test(arguments: StoreKind.all, Move.allCases)
    func aPairThatComesTooLateIsNeverInstalled(_ kind: StoreKind, move: Move) async throws {
        try await kind.withStore { open in
            let store = try open()
            let seen = try await store.insert(Fixture.account("work"))
            let claim = try await store.claim("work")
            try await move.make(store, seen)
            let now = try await store.account(seen.id)
            let outcome = try await store.install(Fixture.pair("late"), for: claim)
            #expect(outcome == .superseded)
            #expect(try await store.account(seen.id) == now)
            #expect((now == nil) == [.removed, .addedAnew].contains(move))
        }
    }

    @Test(arguments: StoreKind.all, Move.allCases)
    func abandoningWhatHasMovedOnChangesNothing(_ kind: StoreKind, move: Move) async throws {
        try await kind.withStore { open in
            let store = try open()
            let seen = try await store.insert(Fixture.account("work"))
            let claim = try await store.claim("work")
            try await move.make(store, seen)
            let now = try await store.account(seen.id)
            try await store.abandon(
                claim,
                as: Abandonment(
                    health: StoredAccount.Health(state: .signInNeeded, due: nil),
                    outcomeIsUnknown: true,
                    signInNeeded: SignInNeeded(reason: .grantRefused, since: Fixture.now)
                )
            )
            #expect(try await store.account(seen.id) == now)
        }
    }

    /// Another process's claim may be of a request that is under way: its intent is the only trace.
    @Test(arguments: StoreKind.all, Later.allCases)
    func abandoningWhatWasClaimedAnewChangesNothing(
        _ kind: StoreKind,
        later: Later
    ) async throws {
        try await kind.withStore { open in
            let store = try open()
            let seen = try await store.insert(Fixture.account("work"))
            let claim = try await store.claim("work")
            try await later.make(open(), seen, first: claim)
            let now = try #require(try await store.account(seen.id))
            let needed = SignInNeeded(reason: .grantRefused, since: Fixture.now)
            for outcomeIsUnknown in [true, false] {
                let end = Abandonment(
                    health: StoredAccount.Health(state: .signInNeeded, due: nil),
                    outcomeIsUnknown: outcomeIsUnknown,
                    signInNeeded: needed,
                    effect: .refused,
                    at: Fixture.now.addingTimeInterval(99)
                )
                try await store.abandon(claim, as: end)
                #expect(try await store.account(seen.id) == now)
                #expect(try await store.clientState(of: now).refused.isEmpty)
            }
        }
    }

    @Test(arguments: StoreKind.all, [true, false])
    func abandoningKeepsTheTokens(_ kind: StoreKind, outcomeIsUnknown: Bool) async throws {
        try await kind.withStore { open in
            let store = try open()
            var expected = try await store.insert(Fixture.account("work"))
            let claim = try await store.claim("work")
            let intent = try await store.account(named: "work").intent
            let health = StoredAccount.Health(
                state: outcomeIsUnknown ? .outcomeUnknown : .backingOff,
                due: Fixture.now.addingTimeInterval(77),
                failures: StoredAccount.Failures(count: 3, last: "throttled", at: Fixture.now)
            )
            try await store.abandon(
                claim,
                as: Abandonment(health: health, outcomeIsUnknown: outcomeIsUnknown)
            )
            expected.health = health
            expected.health.since = Fixture.now
            expected.intent = outcomeIsUnknown ? intent : nil
            #expect(intent != nil)
            #expect(try await store.account(named: "work") == expected)
        }
    }

    @Test(arguments: StoreKind.all)
    func aDeadGrantStaysDeadUntilAPairComes(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            var expected = try await store.insert(Fixture.account("work"))
            let dead = SignInNeeded(reason: .grantRefused, since: Fixture.now)
            let health = StoredAccount.Health(state: .signInNeeded, due: nil)
            try await store.abandon(
                store.claim("work"),
                as: Abandonment(
                    health: health,
                    outcomeIsUnknown: false,
                    signInNeeded: dead,
                    at: Fixture.now
                )
            )
            expected.tokens.signInNeeded = dead
            expected.health = health
            expected.health.since = Fixture.now
            #expect(try await store.account(named: "work") == expected)
            try await store.abandon(
                store.claim("work"),
                as: Abandonment(health: health, outcomeIsUnknown: false)
            )
            #expect(try await store.account(named: "work") == expected)
            try await store.refresh("work", to: "alive")
            let alive = try await store.account(named: "work")
            #expect(alive.tokens.signInNeeded == nil)
            #expect(alive.health.state == .active)
        }
    }

    @Test(arguments: StoreKind.all)
    func generationsOnlyGrow(_ kind: StoreKind) async throws {
        try await kind.withStore { open in
            let store = try open()
            var account = try await store.insert(Fixture.account("work"))
            for step in 0..<6 {
                let before = account.generation
                if step.isMultiple(of: 2) {
                    try await store.refresh("work", to: "pair \(step)")
                } else {
                    let new = Fixture.account("work", grant: "grant \(step)")
                    _ = try await store.replace(account, with: new)
                }
                account = try await store.account(named: "work")
                #expect(account.generation == before + 1)
            }
        }
    }
}

/// What may come after a claim that nobody ended.
enum Later: String, CaseIterable, Sendable {
    case nextAttempt, sameAttempt, anewAfterTheEnd, ended

    func make(
        _ store: any AccountStore,
        _ seen: StoredAccount,
        first: Claim
    ) async throws {
        let failure = Abandonment(
            health: StoredAccount.Health(state: .backingOff, due: nil),
            outcomeIsUnknown: false,
            at: Fixture.now
        )
        if self == .anewAfterTheEnd || self == .ended {
            try await store.abandon(first, as: failure)
        }
        guard self != .ended else { return }
        let intent = Intent(
            refreshTokenHash: first.intent?.refreshTokenHash ?? [],
            claimed: self == .nextAttempt ? Fixture.moment : Fixture.moment.advanced(by: 1),
            attempt: self == .nextAttempt ? 2 : 1
        )
        _ = try await store.claim(seen, intent: intent)
    }
}

/// What may happen to an account between reading it and writing to it.
enum Move: String, CaseIterable, Sendable {
    case refreshed, replaced, removed, addedAnew

    func make(_ store: any AccountStore, _ seen: StoredAccount) async throws {
        switch self {
        case .refreshed: try await store.refresh("work", to: "meanwhile")
        case .replaced:
            let current = try await store.account(named: "work")
            _ = try await store.replace(current, with: Fixture.account("work", grant: "meanwhile"))
        case .removed: try await store.remove("work")
        case .addedAnew:
            try await store.remove("work")
            _ = try await store.insert(Fixture.account("work", grant: "meanwhile"))
        }
    }
}
