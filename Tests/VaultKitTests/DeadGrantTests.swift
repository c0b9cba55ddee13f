import FoundationEssentials
import OAuth
import Testing
import VaultTesting

@testable import VaultKit

/// A grant that the server refuses: one notice, nothing erased, nothing sent any more.
@Suite(.timeLimit(.minutes(1))) struct DeadGrantTests {
    @Test("cli B10, cli B12, cli B15, cli B21, server D15: one request, one event, everything kept")
    func onceAndForAll() async throws {
        let transport = ScriptedTransport(
            .refusal("invalid_grant", description: "Token has been expired or revoked.")
        )
        try await withScene(transport) { scene in
            try await scene.addExpired()
            let events = scene.vault.events
            for _ in 1...20 {
                let error = await vaultError { try await scene.vault.accessToken(for: "work") }
                #expect(error?.code == .signInNeeded)
                #expect(error?.account == "work")
                #expect(error?.isTransient == false)
                scene.clock.advance(by: 600)
            }
            for _ in 1...3 {
                let error = await vaultError { try await scene.vault.refresh("work") }
                #expect(error?.code == .signInNeeded)
            }
            #expect(transport.requestCount == 1)
            let stored = try scene.stored()
            let dead = try #require(stored.tokens.signInNeeded)
            #expect(dead.reason == .grantRefused)
            #expect(stored.refreshText == "work-refresh-1")
            #expect(stored.accessText == "work-access-1")
            // The daily probe.
            #expect(stored.health.due.map { $0.timeIntervalSince(dead.since) >= 86_400 } == true)
            #expect(stored.intent == nil)
            #expect(try await scene.vault.accounts().map(\.state) == [.signInNeeded])
            #expect(await everything(of: events, closing: scene.vault) == [.signInNeeded])
        }
    }

    @Test("who insists has a refused grant sent, and what comes of it is stored")
    func forced() async throws {
        let transport = ScriptedTransport(.refusal("invalid_grant"), .refusal("invalid_grant"))
        try await withScene(transport) { scene in
            try await scene.addExpired()
            for (isForced, requests) in [(false, 1), (false, 1), (true, 2)] {
                let error = await vaultError {
                    try await scene.vault.refresh("work", isForced: isForced)
                }
                #expect(error?.code == .signInNeeded && transport.requestCount == requests)
            }
            transport.enqueue(.grant(accessToken: "alive", refreshToken: "next"))
            #expect(try await scene.vault.refresh("work", isForced: true).text == "alive")
            #expect(try await scene.vault.account("work").state == .active)
        }
    }

    @Test("cli B18: the refused caller learns what the server said")
    func facts() async throws {
        let transport = ScriptedTransport(
            .refusal("invalid_grant", description: "AADSTS70043: too old")
        )
        try await withScene(transport) { scene in
            try await scene.addExpired()
            let error = await vaultError { try await scene.vault.accessToken(for: "work") }
            #expect(error?.facts[.error] == "invalid_grant")
            #expect(error?.facts[.errorDescription] == "AADSTS70043: too old")
            #expect(error?.facts[.host] == "as.example")
            #expect(error?.facts[.status] == "400")
            #expect(error?.facts[.reason] == "grant_refused")
        }
    }

    @Test("J04: a server that repeats the refresh token in its error is not quoted")
    func echoedToken() async throws {
        let transport = ScriptedTransport(
            .refusal("invalid_grant", description: "no such token work-refresh-1")
        )
        try await withScene(transport) { scene in
            try await scene.addExpired()
            let error = await vaultError { try await scene.vault.accessToken(for: "work") }
            #expect(error?.code == .signInNeeded)
            #expect(error?.facts.values.allSatisfy { !$0.contains("work-refresh-1") } == true)
        }
    }

    @Test("server D16, cli E19: a token that is still valid is handed out with a warning")
    func validTokenIsServed() async throws {
        try await withScene(ScriptedTransport(.refusal("invalid_grant"))) { scene in
            try await scene.add()
            let refused = await vaultError { try await scene.vault.refresh("work") }
            #expect(refused?.code == .signInNeeded)
            for left in [3600.0, 600, 60, 30, 6] {
                let now = scene.clock.now()
                let age = now.seconds(since: try scene.stored().tokens.accessTokens[0].obtained)
                scene.clock.advance(by: 3600 - left - age)
                let token = try await scene.vault.accessToken(for: "work")
                #expect(token.text == "work-access-1")
                // Until the cached one has grown old a quarter of a second may pass.
                #expect(left == 3600 || token.warning == .signInNeeded)
            }
            scene.clock.advance(by: 3)
            let dead = await vaultError { try await scene.vault.accessToken(for: "work") }
            #expect(dead?.code == .signInNeeded)
        }
    }

    @Test(
        "who wants the resource owner is no dead grant, and only a person helps either",
        arguments: ["interaction_required", "login_required", "consent_required"]
    )
    func interaction(code: String) async throws {
        try await withScene(ScriptedTransport(.refusal(code))) { scene in
            try await scene.addExpired()
            let error = await vaultError { try await scene.vault.accessToken(for: "work") }
            #expect(error?.code == .signInNeeded)
            #expect(try scene.stored().tokens.signInNeeded?.reason == .interactionRequired)
        }
    }

    @Test("cli E10, cli B14: a new sign-in ends it, and the next dead grant is told anew")
    func newSignIn() async throws {
        let transport = ScriptedTransport(
            .refusal("invalid_grant"),
            .refusal("invalid_grant")
        )
        try await withScene(transport) { scene in
            try await scene.addExpired()
            let events = scene.vault.events
            let other = try await scene.openAgain()
            _ = await vaultError { try await scene.vault.accessToken(for: "work") }
            let elsewhere = await vaultError { try await other.accessToken(for: "work") }
            #expect(elsewhere?.code == .signInNeeded)
            try await scene.signInAgain()
            #expect(try await scene.vault.accessToken(for: "work").warning == nil)
            #expect(try await other.accessToken(for: "work").text == "new-access")
            #expect(try scene.stored().health.state == .active)
            #expect(try scene.stored().health.due != nil)
            scene.clock.advance(by: 3601)
            _ = await vaultError { try await scene.vault.accessToken(for: "work") }
            #expect(
                await everything(of: events, closing: scene.vault)
                    == [
                        .signInNeeded, .signedIn(generation: 2), .stateChanged(.active),
                        .signInNeeded,
                    ]
            )
        }
    }

    @Test("H13: an account without a refresh token is told so once, and nothing is sent")
    func noRefreshToken() async throws {
        try await withScene { scene in
            let tokens = TokenResponse.testing(accessToken: "only")
            _ = try await scene.vault.add(.testing("work"), tokens)
            #expect(try await scene.vault.account("work").due == nil)
            #expect(try await scene.vault.accessToken(for: "work").warning == nil)
            let events = scene.vault.events
            let refused = await vaultError { try await scene.vault.refresh("work") }
            #expect(refused?.facts[.reason] == "no_refresh_token")
            #expect(try await scene.vault.account("work").state == .active)
            scene.clock.advance(by: 3601)
            for _ in 1...3 {
                let error = await vaultError { try await scene.vault.accessToken(for: "work") }
                #expect(error?.code == .signInNeeded)
                #expect(error?.facts[.reason] == "no_refresh_token")
            }
            let account = try await scene.vault.account("work")
            #expect(account.state == .signInNeeded && account.reason == "no_refresh_token")
            #expect(await everything(of: events, closing: scene.vault) == [.signInNeeded])
        }
    }

    @Test("an account without a refresh token is told of at its end, though nobody asks for it")
    func endWithoutRefreshToken() async throws {
        try await withScene { scene in
            _ = try await scene.vault.add(.testing("work"), .testing(accessToken: "only"))
            #expect(try await scene.vault.account("work").due == nil)
            #expect(try !scene.vault.hasRefreshToCome())
            let events = scene.vault.events
            try await run(scene, for: 3500)
            #expect(try await scene.vault.account("work").state == .active)
            try await run(scene, for: 200)
            #expect(try scene.stored().health.state == .signInNeeded)
            #expect(try scene.stored().health.due == nil)
            #expect(scene.transport.requests.isEmpty)
            #expect(await everything(of: events, closing: scene.vault) == [.signInNeeded])
        }
    }

    @Test("an end that is due too early is put off until it is one")
    func editedEnd() async throws {
        try await withScene { scene in
            _ = try await scene.vault.add(.testing("work"), .testing(accessToken: "only"))
            let end = try scene.stored().health.due
            try Saboteur(scene.home.location).setDue(1)
            _ = await vaultError { try await scene.vault.refresh("work") }
            let health = try scene.stored().health
            #expect(health.state == .active && health.due == end)
        }
    }
}
