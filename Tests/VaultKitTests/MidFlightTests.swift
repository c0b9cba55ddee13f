import OAuth
import Platform
import Testing
import VaultCrypto
import VaultTesting

@testable import VaultKit

/// What others do to an account while its refresh is in flight.
@Suite(.timeLimit(.minutes(1))) struct MidFlightTests {
    @Test("cli A05: the refusal of a token that was replaced elsewhere concerns that token alone")
    func refusedAfterASignInElsewhere() async throws {
        let hold = Hold()
        let transport = ScriptedTransport(.refusal("invalid_grant").held(by: hold))
        try await withScene(transport) { scene in
            try await scene.addExpired()
            let events = scene.vault.events
            let caller = Task { try await scene.vault.accessToken(for: "work") }
            try await hold.waitForArrivals()
            let elsewhere = try await scene.openAgain()
            let tokens = TokenResponse.testing(accessToken: "new", refreshToken: "new-refresh")
            _ = try await elsewhere.signIn(.testing("work"), tokens, sent: scene.clock.now())
            hold.release()
            #expect(try await caller.value.text == "new")
            let account = try await scene.vault.account("work")
            #expect(account.state == .active && account.failureCount == 0)
            #expect(try scene.stored().refreshText == "new-refresh")
            let told = await everything(of: events, closing: scene.vault)
            #expect(told == [.adopted(generation: 2)])
        }
    }

    @Test("cli A21: what was changed of an account meanwhile is there after the refresh")
    func changedSettings() async throws {
        let hold = Hold()
        let server = RotatingServer()
        try await withScene(server.transport(hold: hold)) { scene in
            try await scene.addExpired()
            let caller = Task { try await scene.vault.accessToken(for: "work") }
            try await hold.waitForArrivals()
            let changed = AccountRegistration(
                name: "work",
                client: Client(id: ClientID(rawValue: "another")),
                tokenEndpoint: EndpointURL(unchecked: "https://moved.example/token"),
                issuer: "https://moved.example",
                requestedScope: Scope(["mail", "files"]),
                refresh: RefreshOptions(rotation: .strict)
            )
            let elsewhere = try await scene.openAgain()
            let tokens = TokenResponse.testing(accessToken: "new", refreshToken: "new-refresh")
            _ = try await elsewhere.signIn(changed, tokens, sent: scene.clock.now())
            try await elsewhere.switchAccount(to: "work")
            hold.release()
            #expect(try await caller.value.text == "new")
            #expect(try await scene.vault.registration(of: "work") == changed)
            #expect(try await scene.vault.currentAccount() == "work")
        }
    }

    @Test("cli A21: a client's secret that is changed meanwhile stays changed")
    func changedSecret() async throws {
        let hold = Hold()
        let server = RotatingServer()
        try await withScene(server.transport(hold: hold)) { scene in
            let client = Client(
                id: ClientID(rawValue: "confidential"),
                secret: Secret("old"),
                authentication: .clientSecretPost
            )
            var registration = AccountRegistration.testing("work")
            registration.client = client
            let tokens = TokenResponse.testing(
                accessToken: "work-access-1",
                refreshToken: "work-refresh-1"
            )
            _ = try await scene.vault.add(registration, tokens)
            let caller = Task { try await scene.vault.refresh("work") }
            try await hold.waitForArrivals()
            let elsewhere = try await scene.openAgain()
            #expect(try await elsewhere.setSecret(of: client.id, to: Secret("new")) == ["work"])
            hold.release()
            #expect(try await caller.value.text == "work-access-2")
            let stored = try scene.stored()
            #expect(stored.refreshText == "work-refresh-2" && stored.intent == nil)
            #expect(stored.settings.client.secret == Secret("new"))
            #expect(try await scene.vault.registration(of: "work")?.requestedScope == Scope([]))
        }
    }

    @Test(
        "who reads that its client is refused, and is slow to write it down, waits for nothing",
        arguments: [true, false]
    )
    func mendedBeforeThePostponement(bySuccess: Bool) async throws {
        let isRight = Shared(false)
        let transport = ScriptedTransport { request in
            isRight.value
                ? .grant(accessToken: "second", refreshToken: "refresh-2")
                : .refusal("invalid_client", status: 401)
        }
        try await withScene(transport) { scene in
            let names: [AccountName] = ["a", "b", "c", "slow"]
            for name in names { try await scene.addConfidential(name, secret: "wrong") }
            scene.clock.advance(by: 3601)
            for name in names.dropLast() {
                _ = await vaultError { try await scene.vault.accessToken(for: name) }
            }
            let vault = scene.vault
            var store = InterceptedStore(vault.store)
            store.postponing = { _, _ in
                guard
                    !isRight.update({ isRight in
                        defer { isRight = true }
                        return isRight
                    })
                else { return }
                if bySuccess {
                    scene.clock.advance(by: 601)
                    _ = try await vault.refresh("a")
                } else {
                    try await vault.setSecret(
                        of: ClientID(rawValue: "client"),
                        to: Secret("right")
                    )
                }
            }
            let flight = try scene.refresher(store).flight(for: scene.stored("slow"))
            let outcome = try await flight.outcome(deadline: nil)
            guard case .refreshed(let account) = outcome else {
                Issue.record("it was not refreshed: \(String(describing: outcome))")
                return
            }
            #expect(account.health.state == .active && account.generation == 2)
            #expect(transport.requestCount == (bySuccess ? 5 : 4))
        }
    }

    @Test("server A6: a holder that comes late gives back its own lock, not its successor's")
    func lateRelease() async throws {
        let (first, second) = (Hold(), Hold())
        let server = RotatingServer()
        try await withScene(server.transport(hold: first)) { scene in
            try await scene.addExpired()
            let other = try await scene.openAgain(transport: server.transport(hold: second))
            let third = try FileLock(path: scene.home.location.lock)
            let range = try FileLock.Range.account(scene.stored().number)
            let frozen = Task { try await scene.vault.accessToken(for: "work", deadline: 7200) }
            try await first.waitForArrivals()
            // Frozen for longer than any lease: nobody takes its place while it lives.
            scene.clock.advance(by: 3600)
            #expect(try !third.tryLock(range))
            first.release()
            _ = try await frozen.value
            let successor = Task { try await other.refresh("work") }
            try await second.waitForArrivals()
            await scene.vault.close()
            #expect(try !third.tryLock(range))
            second.release()
            #expect(try await successor.value.text == "work-access-3")
            #expect(try third.tryLock(range))
            #expect(server.requestCount == 2 && server.reuseCount == 0)
        }
    }
}
