import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultStore
import VaultTesting

@testable import VaultKit

/// A client with two secrets: the new one, and the one before it.
@Suite(.timeLimit(.minutes(1))) struct OtherSecretTests {
    private struct DiskFull: Error {}

    private static let id = ClientID(rawValue: "client")
    private static let refused = ScriptedAnswer.refusal("invalid_client", status: 401)
    private static let granted = ScriptedAnswer.grant(
        accessToken: "second",
        refreshToken: "refresh-2"
    )

    /// An expired account whose client has the secret `new`, and `old` behind it.
    private func withTwoSecrets(
        _ answers: [ScriptedAnswer],
        _ body: (Scene) async throws -> Void
    ) async throws {
        let transport = ScriptedTransport()
        for answer in answers { transport.enqueue(answer) }
        try await withScene(transport) { scene in
            try await scene.addConfidential("work", secret: "old")
            try await scene.vault.setSecret(of: Self.id, to: Secret("new"), keepingOld: true)
            scene.clock.advance(by: 3601)
            try await body(scene)
        }
    }

    private func sent(_ scene: Scene) -> [String?] {
        scene.transport.requests.map { $0.parameter("client_secret")?.reveal { $0 } }
    }

    @Test("server D11: the second is sent in the same refresh, and first in the next")
    func swaps() async throws {
        try await withTwoSecrets([Self.refused, Self.granted]) { scene in
            let token = try await scene.vault.accessToken(for: "work")
            #expect(token.text == "second" && token.warning == nil)
            #expect(sent(scene) == ["new", "old"])
            let settings = try scene.stored().settings
            #expect(settings.client.secret == Secret("old"))
            #expect(settings.otherSecret == Secret("new"))
            let account = try await scene.vault.account("work")
            #expect(account.state == .active && account.failureCount == 0)
            // As another process remembers it.
            let again = try await scene.openAgain()
            scene.transport.enqueue(.grant(accessToken: "third", refreshToken: "refresh-3"))
            scene.clock.advance(by: 3601)
            #expect(try await again.accessToken(for: "work").text == "third")
            #expect(sent(scene) == ["new", "old", "old"])
            await again.close()
        }
    }

    @Test("server D11: both refused are two requests, and the client is refused")
    func bothRefused() async throws {
        try await withTwoSecrets([Self.refused, Self.refused]) { scene in
            for _ in 1...5 {
                let error = await vaultError { try await scene.vault.accessToken(for: "work") }
                #expect(error?.code == .clientRefused)
            }
            #expect(sent(scene) == ["new", "old"])
            let stored = try scene.stored()
            #expect(stored.refreshText == "work-refresh-1" && stored.generation == 1)
            #expect(stored.health.state == .clientRefused && stored.intent == nil)
            #expect(stored.health.failures?.count == 1)
        }
    }

    @Test(
        "server D11: an answer that does not blame the client's secret does not bring up the other",
        arguments: [
            (.response(401), .clientRefused),
            (.refusal("unauthorized_client"), .clientRefused),
            (.refusal("invalid_grant"), .signInNeeded),
            (.response(500), .outcomeUnknown),
            (.failure(.ambiguous(.timedOut)), .outcomeUnknown),
        ] as [(ScriptedAnswer, VaultError.Code)]
    )
    func otherAnswers(answer: ScriptedAnswer, code: VaultError.Code) async throws {
        try await withTwoSecrets([answer]) { scene in
            let error = await vaultError { try await scene.vault.accessToken(for: "work") }
            #expect(error?.code == code)
            #expect(sent(scene) == ["new"])
            let stored = try scene.stored()
            #expect(stored.settings.client.secret == Secret("new"))
        }
    }

    @Test("server D11: the same secret given twice keeps the old one, which is sent")
    func givenTwice() async throws {
        try await withTwoSecrets([Self.refused, Self.granted]) { scene in
            try await scene.vault.setSecret(of: Self.id, to: Secret("new"), keepingOld: true)
            #expect(try await scene.vault.accessToken(for: "work").text == "second")
            #expect(sent(scene) == ["new", "old"])
        }
    }

    @Test("server D11: a second secret that is the first is not sent again, and backs off")
    func equalSecrets() async throws {
        let transport = ScriptedTransport { _ in Self.refused }
        try await withScene(transport) { scene in
            var registration = AccountRegistration.testing("work")
            registration.client = Client(
                id: Self.id,
                secret: Secret("one"),
                authentication: .clientSecretPost
            )
            var new = registration.newAccount(
                .testing(accessToken: "first", refreshToken: "refresh-1"),
                id: nil,
                generation: 1,
                sent: scene.clock.now(),
                now: scene.clock.now()
            )
            new.settings.otherSecret = Secret("one")
            _ = try await scene.vault.store.insert(new)
            scene.clock.advance(by: 3601)
            for _ in 1...3 {
                let error = await vaultError { try await scene.vault.accessToken(for: "work") }
                #expect(error?.code == .clientRefused)
            }
            #expect(transport.requestCount == 1)
            let stored = try scene.stored()
            #expect(stored.health.state == .clientRefused && stored.health.failures?.count == 1)
            let client = try scene.vault.store.clientState(of: stored)
            #expect(client.refused == [stored.id])
        }
    }

    @Test("server D11: a swap that cannot be written down loses nothing")
    func swapFails() async throws {
        try await withTwoSecrets([Self.refused, Self.refused, Self.granted]) { scene in
            var store = InterceptedStore(scene.vault.store)
            store.abandoning = { _, _, _ in throw DiskFull() }
            let refresher = try scene.refresher(store)
            let before = try scene.stored()
            let outcome = try await refresher.flight(for: before)
                .outcome(deadline: nil)
            guard case .failed(let error, _) = outcome else {
                Issue.record("it did not fail: \(String(describing: outcome))")
                return
            }
            #expect(error.code == .storage)
            #expect(sent(scene) == ["new"])
            let stored = try scene.stored()
            #expect(stored.tokens == before.tokens && stored.settings == before.settings)
            #expect(stored.generation == before.generation)
            // Once writes go through, the same is done to its end.
            #expect(try await scene.vault.accessToken(for: "work").text == "second")
            #expect(sent(scene) == ["new", "new", "old"])
        }
    }
}

extension Scene {
    /// A refresher that writes to another store.
    func refresher(_ store: any AccountStore) throws -> TokenRefresher {
        TokenRefresher(
            environment: RefreshEnvironment(
                store: store,
                lockFile: try FileLock(path: home.location.lock),
                transport: transport,
                clock: clock,
                random: { 0.5 },
                faults: .none
            ),
            events: vault.hub,
            states: vault.states
        )
    }

    /// Adds an account of the confidential client `client`.
    func addConfidential(_ name: AccountName, secret: String) async throws {
        var registration = AccountRegistration.testing(name)
        registration.client = Client(
            id: ClientID(rawValue: "client"),
            secret: Secret(secret),
            authentication: .clientSecretPost
        )
        let tokens = TokenResponse.testing(
            accessToken: "\(name)-access-1",
            refreshToken: "\(name)-refresh-1"
        )
        _ = try await vault.add(registration, tokens)
    }
}
