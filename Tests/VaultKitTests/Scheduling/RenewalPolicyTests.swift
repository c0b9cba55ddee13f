import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultStore
import VaultTesting

@testable import VaultKit

@Suite(.timeLimit(.minutes(2))) struct RenewalPolicyTests {
    private func registration(
        _ policy: RenewalPolicy?
    ) -> AccountRegistration {
        var registration = AccountRegistration.testing("work")
        registration.renewal = policy
        return registration
    }

    private func tokens(_ name: String = "work", lifetime: Double? = 3600) -> TokenResponse {
        .testing(accessToken: "a", refreshToken: "\(name)-1", lifetime: lifetime)
    }

    @Test(
        "cli D11: an eager account is renewed at half of its token's life, and never before 40 %",
        arguments: [60.0, 300, 3600, 86_400]
    )
    func eager(lifetime: Double) {
        for generation in 1...200 as ClosedRange<UInt64> {
            let share =
                RefreshSchedule.delay(
                    lifetime: lifetime,
                    refreshIn: nil,
                    isEager: true,
                    account: .random(),
                    generation: generation
                ) / lifetime
            #expect((0.4...0.5).contains(share))
        }
    }

    @Test("cli D11: how often a policy renews in a day")
    func day() async throws {
        for (policy, range) in [
            (.eager, 48...62), (.normal, 28...36), (nil, 28...36), (.manual, 0...0),
        ] as [(RenewalPolicy?, ClosedRange<Int>)] {
            let server = RotatingServer()
            try await withScene(server.transport()) { scene in
                let added = try await scene.vault.add(
                    registration(policy),
                    .testing(accessToken: "work-access-1", refreshToken: "work-refresh-1")
                )
                #expect(added.renewal == policy ?? .normal)
                try await run(scene, for: 86_400)
                #expect(range.contains(server.requestCount), "\(String(describing: policy))")
                // A look-up gets a good token, whatever the policy is.
                let token = try await scene.vault.accessToken(for: "work")
                #expect(token.warning == nil)
            }
        }
    }

    @Test("cli D11: what went wrong for a caller is no reason to renew what is left to callers")
    func failures() async throws {
        let answers: [ScriptedAnswer] = [
            .failure(.notSent(.connectionFailed)), .response(429), .refusal("invalid_client"),
            .refusal("invalid_grant"), .response(503), .refusal("invalid_request"),
        ]
        for answer in answers {
            let transport = ScriptedTransport { _ in answer }
            try await withScene(transport) { scene in
                try await scene.vault.add(registration(.manual), tokens())
                scene.clock.advance(by: 4000)
                _ = await vaultError { try await scene.vault.accessToken(for: "work") }
                #expect(transport.requestCount == 1)
                let isUnknown = try scene.stored().intent != nil
                try await run(scene, for: 12 * 3600)
                // But that a refresh whose answer was lost is brought to its end.
                #expect(isUnknown || transport.requestCount == 1)
                let isDue = RefreshSchedule.isDue(try scene.stored(), at: scene.clock.now())
                #expect(isUnknown || !isDue)
                // It is out of the queue, but for a grant that callers may ask for once more.
                let stored = try scene.stored()
                #expect(
                    isUnknown || stored.health.due == nil || stored.tokens.signInNeeded != nil
                )
                let before = transport.requestCount
                _ = await vaultError { try await scene.vault.accessToken(for: "work") }
                let isAsked = transport.requestCount == before + 1
                #expect(isAsked || isUnknown || stored.tokens.signInNeeded != nil)
            }
        }
    }

    @Test(
        "cli D11: whatever an account has been through, nothing is due of one left to its callers"
    )
    func property() {
        var numbers = SystemRandomNumberGenerator()
        func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &numbers) }
        let failures = [
            nil, "unreachable", "throttled", "client_refused", "outcome_unknown", "mass_refusal",
            "sign_in_needed",
        ]
        let providers = [nil, "github", "box", "exact-online", "linkedin"]
        for _ in 0..<20_000 {
            var account = StoredAccount.fixture(
                lifetime: [nil, 60, 3600, 1e7].randomElement(using: &numbers) ?? nil,
                age: number(0...3e7),
                signInNeeded: Bool.random(using: &numbers) ? nil : .grantRefused,
                failure: failures.randomElement(using: &numbers) ?? nil,
                failedBefore: number(0...10_000),
                dueIn: number(-100_000...10_000)
            )
            account.settings.renewal = .manual
            account.settings.refresh.provider = providers.randomElement(using: &numbers) ?? nil
            if Bool.random(using: &numbers) {
                account.tokens.grant = GrantTimes(
                    signedIn: Moment.fixed.wall,
                    lifetime: Bool.random(using: &numbers) ? number(60...2e7) : nil
                )
            }
            let keepAlive = RenewalPlan(account).delay(
                of: account.tokens.accessTokens[0],
                generation: account.generation
            )
            let age = Moment.fixed.seconds(since: account.tokens.accessTokens[0].obtained)
            let mayBeDue = keepAlive.map { age >= $0 } ?? false
            let isDue = RefreshSchedule.isDue(account, at: .fixed)
            #expect(!isDue || mayBeDue)
            guard !mayBeDue else { continue }
            #expect(RefreshSchedule.isLeftToCallers(account, at: .fixed))
            let rest = RefreshSchedule.rest(account, at: .fixed)
            #expect(account.tokens.signInNeeded != nil || (rest == nil) == (keepAlive == nil))
            // What it rests until keeps no caller waiting.
            account.health.due = rest
            if account.tokens.signInNeeded == nil {
                #expect(account.obstacle(at: .fixed) == nil)
            }
        }
    }

    @Test("cli D11: a change of the policy is sealed, kept by a new sign-in, and plans anew")
    func changing() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            try await scene.add()
            let planned = try #require(try await scene.vault.account("work").due)
            // The first plan is the account's own, as each later one.
            #expect(
                RefreshSchedule.due(asPlanned: try scene.stored())?.timeIntervalSince(planned)
                    .magnitude ?? 2 < 1
            )
            let manual = try await scene.vault.setRenewal(.manual, of: "work")
            #expect(manual.renewal == .manual && manual.due == nil)
            #expect(try await scene.vault.account("work") == manual)
            #expect(try scene.stored().settings.renewal == .manual)
            try await run(scene, for: 7200)
            #expect(server.requestCount == 0)
            let eager = try await scene.vault.setRenewal(.eager, of: "work")
            #expect(eager.due.map { $0 < planned } ?? false)
            try await run(scene, for: 60)
            #expect(server.requestCount == 1)
            try await scene.signInAgain()
            #expect(try await scene.vault.account("work").renewal == .eager)
            var registration = AccountRegistration.testing("work")
            registration.renewal = .normal
            try await scene.vault.add(registration, tokens("again"), replacing: .always)
            #expect(try await scene.vault.account("work").renewal == .normal)
            let error = await vaultError { try await scene.vault.setRenewal(.eager, of: "none") }
            #expect(error?.code == .noSuchAccount)
        }
    }

    @Test("an account of another vault keeps its policy and the times of its grant")
    func moved() async throws {
        try await withScene { scene in
            try await scene.vault.add(registration(.manual), tokens())
            let stored = try scene.stored()
            let exported = ExportedAccount(
                id: stored.id,
                generation: stored.generation,
                settings: stored.settings,
                tokens: stored.tokens
            )
            #expect(exported.settings.renewal == .manual && exported.tokens.grant != nil)
            #expect(RefreshSchedule.due(importing: exported, at: scene.clock.now()) == nil)
        }
    }
}
