import FoundationEssentials
import OAuth
import Testing
import VaultCrypto
import VaultTesting

@testable import VaultKit
@testable import VaultStore

/// Refresh tokens that are not sent unasked: from an old copy, moved away, or spent.
@Suite(.timeLimit(.minutes(1))) struct HoldTests {
    /// How an account comes to be held.
    enum Cause: String, CaseIterable, Sendable {
        case restored, moved, putBack

        var code: VaultError.Code { self == .moved ? .paused : .verifyBeforeUse }
        var state: AccountState { self == .moved ? .paused : .verifyBeforeUse }
        var warning: AccessToken.Warning { self == .moved ? .paused : .verifyBeforeUse }
    }

    /// A scene whose one account is held; its token was obtained `age` seconds ago.
    private func withHeld(
        _ cause: Cause,
        age: Double = 0,
        _ transport: ScriptedTransport = ScriptedTransport(),
        _ body: (Scene) async throws -> Void
    ) async throws {
        try await withScene(transport) { scene in
            try await scene.add()
            try await scene.hold(cause)
            scene.clock.advance(by: age)
            try await body(scene)
        }
    }

    @Test("server B13: nothing is sent unasked, and nothing erased", arguments: Cause.allCases)
    func nothingIsSent(_ cause: Cause) async throws {
        try await withHeld(cause, age: 3601) { scene in
            let before = try scene.stored()
            for _ in 1...3 {
                let error = await vaultError { try await scene.vault.accessToken(for: "work") }
                #expect(error?.code == cause.code)
                #expect(error?.account == "work")
                scene.clock.advance(by: 600)
            }
            #expect(scene.transport.requestCount == 0)
            #expect(try scene.stored().tokens == before.tokens)
            let account = try await scene.vault.account("work")
            #expect(account.state == cause.state)
            #expect(account.due == nil)
        }
    }

    @Test("a token that is still valid is handed out with a warning", arguments: Cause.allCases)
    func validTokenIsServed(_ cause: Cause) async throws {
        try await withHeld(cause) { scene in
            for age in [0.0, 3000, 590] {
                scene.clock.advance(by: age)
                let token = try await scene.vault.accessToken(for: "work")
                #expect(token.text == "work-access-1")
                #expect(token.warning == cause.warning)
            }
            let minimum = await vaultError {
                try await scene.vault.accessToken(for: "work", minimumLifetime: 60)
            }
            #expect(minimum?.code == cause.code)
        }
    }

    @Test(
        "a person's refresh sends it, and the answer ends the hold",
        arguments: [Cause.restored, .putBack]
    )
    func forced(_ cause: Cause) async throws {
        let transport = ScriptedTransport(
            .grant(accessToken: "access-2", refreshToken: "work-refresh-2")
        )
        try await withHeld(cause, age: 3601, transport) { scene in
            #expect(try await scene.vault.refresh("work").text == "access-2")
            let stored = try scene.stored()
            #expect(stored.tokens.hold == nil)
            #expect(stored.health.state == .active)
            #expect(stored.health.due != nil)
        }
    }

    @Test("what was moved away is not even sent for a person")
    func moved() async throws {
        try await withHeld(.moved, age: 3601) { scene in
            let error = await vaultError { try await scene.vault.refresh("work") }
            #expect(error?.code == .paused)
            #expect(scene.transport.requestCount == 0)
        }
    }

    @Test("a spent token that its server gives out again is not spent")
    func unchangedRefreshToken() async throws {
        let transport = ScriptedTransport(.grant(accessToken: "access-2", refreshToken: nil))
        try await withHeld(.putBack, age: 3601, transport) { scene in
            let token = try await scene.vault.refresh("work")
            #expect(token.text == "access-2")
            #expect(try scene.stored().health.state == .active)
        }
    }

    @Test(
        "server B13: a refused one is told to come from an old copy, once",
        arguments: [Cause.restored, .putBack]
    )
    func refused(_ cause: Cause) async throws {
        let transport = ScriptedTransport(.refusal("invalid_grant"))
        try await withHeld(cause, age: 3601, transport) { scene in
            for _ in 1...2 {
                let error = await vaultError { try await scene.vault.refresh("work") }
                #expect(error?.code == .signInNeeded)
                #expect(error?.facts[.reason] == "stale_copy")
            }
            #expect(transport.requestCount == 1)
            let stored = try scene.stored()
            #expect(stored.health.state == .signInNeeded)
            #expect(stored.refreshText == "work-refresh-1")
        }
    }

    @Test("a forced refresh that fails for the moment leaves the hold, and Retry-After counts")
    func transientFailure() async throws {
        let transport = ScriptedTransport(
            .refusal("slow", status: 429, headers: [(name: "Retry-After", value: "120")])
        )
        try await withHeld(.restored, age: 3601, transport) { scene in
            for _ in 1...2 {
                let error = await vaultError { try await scene.vault.refresh("work") }
                #expect(error?.code == .throttled)
            }
            #expect(transport.requestCount == 1)
            let stored = try scene.stored()
            #expect(stored.tokens.hold?.reason == .restored)
            let error = await vaultError { try await scene.vault.accessToken(for: "work") }
            #expect(error?.code == .verifyBeforeUse)
        }
    }

    @Test("signing in anew ends the hold", arguments: Cause.allCases)
    func signIn(_ cause: Cause) async throws {
        try await withHeld(cause, age: 3601) { scene in
            try await scene.signInAgain()
            let token = try await scene.vault.accessToken(for: "work")
            #expect(token.text == "new-access")
            #expect(token.warning == nil)
        }
    }

    @Test(
        "the scheduler sends nothing and rests, also where a due time stands",
        arguments: Cause.allCases
    )
    func scheduler(_ cause: Cause) async throws {
        try await withHeld(cause) { scene in
            try Saboteur(scene.home.location).setDue(0)
            scene.clock.advance(by: 3601)
            let scheduler = Task { try await scene.vault.runScheduler() }
            var rounds = 0
            let end = scene.clock.now().advanced(by: 3600)
            while end.seconds(since: scene.clock.now()) > 0 {
                try await scene.clock.waitForSleeper(within: 30.1)
                scene.clock.advanceToNextWake(within: 30.1)
                await Task.yield()
                rounds += 1
            }
            scheduler.cancel()
            _ = try? await scheduler.value
            #expect(scene.transport.requestCount == 0)
            // Every half minute it looks whether others changed anything.
            #expect(rounds < 130)
        }
    }
}

extension Scene {
    fileprivate func hold(_ cause: HoldTests.Cause) async throws {
        let account = try stored()
        let reason: VaultStore.Hold.Reason
        switch cause {
        case .restored: reason = .restored
        case .moved: reason = .moved
        case .putBack:
            return try Saboteur(home.location).spend(
                vault.store.spentTokenHash(of: Secret("work-refresh-1"))
            )
        }
        var tokens = account.tokens
        tokens.hold = VaultStore.Hold(reason: reason, since: clock.now().wall)
        let held = NewAccount(
            settings: account.settings,
            tokens: tokens,
            health: StoredAccount.Health(state: reason.state, due: nil),
            expiry: nil
        )
        _ = try await vault.store.replace(account, with: held)
    }
}
