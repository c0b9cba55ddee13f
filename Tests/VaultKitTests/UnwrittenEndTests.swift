import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultStore
import VaultTesting

@testable import VaultKit

/// How a claim ended, where the store does not take that at first.
@Suite(.timeLimit(.minutes(1))) struct UnwrittenEndTests {
    private struct DiskFull: Error {}

    /// A refresher whose store takes no end while `isBroken` is on; `claimed` are the intents that its
    /// claims found.
    private func refresher(
        _ scene: Scene,
        _ isBroken: Shared<Bool>,
        _ claimed: Shared<[Intent?]> = Shared([])
    ) throws -> TokenRefresher {
        var store = InterceptedStore(scene.vault.store)
        store.abandoning = { store, claim, end in
            if isBroken.value { throw DiskFull() }
            try await store.abandon(claim, as: end)
        }
        store.claiming = { store, account, intent in
            claimed.update { $0.append(account.intent) }
            return try await store.claim(account, intent: intent)
        }
        return TokenRefresher(
            environment: RefreshEnvironment(
                store: store,
                lockFile: try FileLock(path: scene.home.location.lock),
                transport: scene.transport,
                clock: scene.clock,
                random: { 0.5 },
                faults: .none
            ),
            events: scene.vault.hub,
            states: scene.vault.states
        )
    }

    private func refresh(
        _ refresher: TokenRefresher,
        _ scene: Scene
    ) async throws -> RefreshOutcome? {
        try await refresher.flight(for: scene.stored()).outcome(deadline: nil)
    }

    @Test(
        "a failure that could not be written down is remembered, and written before anything is sent",
        arguments: ["invalid_grant", "temporarily_unavailable"]
    )
    func unwrittenFailure(code: String) async throws {
        let transport = ScriptedTransport(.refusal(code))
        try await withScene(transport) { scene in
            try await scene.addExpired()
            let isBroken = Shared(true)
            let refresher = try refresher(scene, isBroken)
            for _ in 1...20 {
                guard case .failed(let error, _) = try await refresh(refresher, scene) else {
                    Issue.record("it did not fail")
                    return
                }
                #expect(error.code != .busy && error.code != .storage)
            }
            #expect(transport.requestCount == 1)
            #expect(try scene.stored().health.failures == nil)
            isBroken.update { $0 = false }
            guard case .failed(_, let account?) = try await refresh(refresher, scene) else {
                Issue.record("it did not fail")
                return
            }
            #expect(account.health.failures != nil)
            #expect(try scene.stored().health.failures != nil)
            let isDead = code == "invalid_grant"
            #expect(try (scene.stored().tokens.signInNeeded != nil) == isDead)
            #expect(transport.requestCount == 1)
        }
    }

    /// A refresher whose refresh was refused, and the store did not take that until `isBroken` is off.
    private func refusedRefresher(
        _ scene: Scene,
        _ isBroken: Shared<Bool>,
        _ claimed: Shared<[Intent?]> = Shared([])
    ) async throws -> TokenRefresher {
        let refresher = try refresher(scene, isBroken, claimed)
        guard case .failed(let error, _) = try await refresh(refresher, scene) else {
            Issue.record("it did not fail")
            return refresher
        }
        #expect(error.code == .signInNeeded)
        return refresher
    }

    @Test("R1: a failure that was not written down takes no other process's claim away")
    func claimedMeanwhile() async throws {
        let transport = ScriptedTransport(
            .refusal("invalid_grant"),
            .grant(accessToken: "second", refreshToken: "refresh-2")
        )
        try await withScene(transport) { scene in
            try await scene.addExpired()
            let isBroken = Shared(true)
            let claimed = Shared<[Intent?]>([])
            let refresher = try await refusedRefresher(scene, isBroken, claimed)
            isBroken.update { $0 = false }
            // Another process sends the same refresh token, and is killed.
            let left = try scene.stored()
            let intent = Intent(
                refreshTokenHash: left.intent?.refreshTokenHash ?? [],
                claimed: scene.clock.now(),
                attempt: 2
            )
            _ = try await scene.vault.store.claim(left, intent: intent)
            scene.clock.advance(by: 3600)
            let outcome = try await refresh(refresher, scene)
            // What was left behind is what this one goes by.
            #expect(claimed.value == [nil, intent])
            guard case .refreshed(let account) = outcome else {
                Issue.record("it was not refreshed")
                return
            }
            #expect(account.accessText == "second" && account.tokens.signInNeeded == nil)
            #expect(transport.requestCount == 2)
        }
    }

    @Test("a failure is written down later under the account's lock alone")
    func writtenUnderTheLock() async throws {
        try await withScene(ScriptedTransport(.refusal("invalid_grant"))) { scene in
            try await scene.addExpired()
            let isBroken = Shared(true)
            let refresher = try await refusedRefresher(scene, isBroken)
            isBroken.update { $0 = false }
            let before = try scene.stored()
            let other = try FileLock(path: scene.home.location.lock)
            try #require(try other.tryLock(.account(before.number)))
            let flight = try refresher.flight(for: before)
            let outcome = await scene.clock.passingSleeps(within: 30) {
                try? await flight.outcome(deadline: nil)
            }
            guard case .failed(let error, _) = outcome ?? nil else {
                Issue.record("it did not fail")
                return
            }
            #expect(error.code == .busy)
            #expect(try scene.stored() == before)
            other.unlock(.account(before.number))
            _ = try await refresh(refresher, scene)
            #expect(try scene.stored().tokens.signInNeeded?.reason == .grantRefused)
            #expect(scene.transport.requestCount == 1)
        }
    }

    @Test("server D11: a swap that was not written down leaves no lost answer to the next refresh")
    func swap() async throws {
        let transport = ScriptedTransport(
            .refusal("invalid_client", status: 401),
            .refusal("invalid_grant")
        )
        try await withScene(transport) { scene in
            try await scene.addConfidential("work", secret: "old")
            let client = ClientID(rawValue: "client")
            try await scene.vault.setSecret(of: client, to: Secret("new"), keepingOld: true)
            scene.clock.advance(by: 3601)
            let isBroken = Shared(true)
            let refresher = try refresher(scene, isBroken)
            // While it is not written down, nothing more is sent.
            for _ in 1...2 { _ = try await refresh(refresher, scene) }
            #expect(transport.requestCount == 1)
            isBroken.update { $0 = false }
            _ = try await refresh(refresher, scene)
            let sent = transport.requests.map { $0.parameter("client_secret")?.reveal { $0 } }
            #expect(sent == ["new", "old"])
            let stored = try scene.stored()
            #expect(stored.tokens.signInNeeded?.reason == .grantRefused)
            #expect(try scene.vault.store.clientState(of: stored).retries == ClientState().retries)
        }
    }
}
