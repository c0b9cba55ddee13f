import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultTesting

@testable import VaultKit

@Suite(.timeLimit(.minutes(2))) struct KeepAliveTests {
    private static let day = 86_400.0

    /// Seconds from a sign-in to the planned refresh.
    private func delay(
        provider: String?,
        lifetime: Double?,
        told: Double? = nil,
        renewal: RenewalPolicy = .normal
    ) -> Double? {
        var registration = AccountRegistration.testing("work")
        registration.refresh.provider = provider
        registration.renewal = renewal
        let response = TokenResponse(
            accessToken: Secret("a"),
            refreshToken: Secret("r"),
            lifetime: lifetime,
            refreshTokenLifetime: told
        )
        let account = registration.newAccount(
            response,
            id: .random(),
            generation: 2,
            sent: .fixed,
            now: .fixed
        )
        return account.health.due?.timeIntervalSince(Moment.fixed.wall)
    }

    @Test("server E10, cli D11: a refresh token is used before half of its idle life is over")
    func planned() throws {
        for name in ProviderCatalogue.builtIn.names {
            let idle = ProviderCatalogue.builtIn[name]?.refreshTokenIdleLifetime
            for lifetime in [nil, 3600, 60 * Self.day, 3650 * Self.day] {
                for policy in RenewalPolicy.allCases {
                    let planned = delay(provider: name, lifetime: lifetime, renewal: policy)
                    if let idle { #expect(planned.map { $0 <= idle / 2 } ?? false) }
                    if idle == nil { #expect((planned == nil) == (policy == .manual)) }
                }
            }
        }
        for told in [1800, 7 * Self.day, 90 * Self.day] {
            let planned = try #require(delay(provider: nil, lifetime: 3650 * Self.day, told: told))
            #expect((told * 0.44...told / 2).contains(planned))
        }
        // Never so often that it would be all that happens.
        #expect(delay(provider: nil, lifetime: 3600, told: 1) == 30)
        #expect(
            delay(provider: "atlassian", lifetime: 400 * Self.day).map { $0 <= 45 * Self.day }
                == true
        )
        #expect(
            delay(provider: "google", lifetime: 400 * Self.day).map { $0 <= 90 * Self.day } == true
        )
    }

    /// A server that keeps a refresh token for so many days since it was last used.
    private func server(
        _ clock: ManualClock,
        idleDays: Double
    ) -> (ScriptedTransport, Shared<[Double]>) {
        let (start, sent) = (clock.now(), Shared<[Double]>([0]))
        let transport = ScriptedTransport { request in
            let now = clock.now().seconds(since: start)
            let idle = now - (sent.value.last ?? 0)
            sent.update { $0.append(now) }
            guard idle < idleDays * Self.day else { return .refusal("invalid_grant") }
            return .grant(
                accessToken: "access",
                refreshToken: (request.refreshToken?.reveal { $0 } ?? "") + "x",
                expiresIn: 400 * Self.day
            )
        }
        return (transport, sent)
    }

    @Test(
        "server E10, cli D11: an idle account lives on for years, also one that is left to its callers",
        arguments: RenewalPolicy.allCases
    )
    func idleYears(policy: RenewalPolicy) async throws {
        let clock = ManualClock()
        let (transport, sent) = server(clock, idleDays: 60)
        try await withScene(transport, clock: clock) { scene in
            var registration = AccountRegistration.testing("work")
            // Box: 60 days unused.
            registration.refresh.provider = "box"
            registration.renewal = policy
            let lifetime = 400 * Self.day
            try await scene.vault.add(
                registration,
                .testing(accessToken: "a", refreshToken: "r", lifetime: lifetime)
            )
            var scheduler = Scheduler(vault: scene.vault)
            await pass(scene, &scheduler, days: 730)
            let pauses = zip(sent.value, sent.value.dropFirst()).map { $1 - $0 }
            #expect((24...30).contains(pauses.count))
            #expect(pauses.allSatisfy { $0 <= 30.3 * Self.day })
            #expect(try await scene.vault.account("work").state == .active)
        }
    }

    @Test("cli D13: an end that refreshing does not move is no reason to refresh ever more often")
    func fixedEnd() async throws {
        let (clock, count) = (ManualClock(), Shared(0))
        let end = clock.now().wall.addingTimeInterval(90 * Self.day)
        let transport = ScriptedTransport { _ in
            count.update { $0 += 1 }
            let left = Int(end.timeIntervalSince(clock.now().wall))
            let body = """
                {"access_token":"a","expires_in":34560000,"refresh_token_expires_in":\(left)}
                """
            return .response(200, body: body)
        }
        try await withScene(transport, clock: clock) { scene in
            let response = TokenResponse(
                accessToken: Secret("a"),
                refreshToken: Secret("r"),
                lifetime: 400 * Self.day,
                refreshTokenLifetime: 90 * Self.day
            )
            try await scene.vault.add(.testing("work"), response)
            var scheduler = Scheduler(vault: scene.vault)
            await pass(scene, &scheduler, days: 89)
            // Once, to find that out.
            #expect(count.value == 1)
            let known = try #require(try await scene.vault.account("work").grantEnd)
            #expect(abs(known.timeIntervalSince(end)) < 2)
        }
    }
}
