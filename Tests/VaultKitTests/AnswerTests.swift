import FoundationEssentials
import OAuth
import Testing
import VaultCrypto
import VaultTesting

@testable import VaultKit

/// What the parts of an answer do to the stored pair.
@Suite(.timeLimit(.minutes(1))) struct AnswerTests {
    @Test("cli B20, HT-06: a refresh presents the stored token with the stored client, once")
    func presentsTheStoredToken() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            try await scene.addExpired()
            let token = try await scene.vault.accessToken(for: "work")
            #expect(token.text == "work-access-2")
            #expect(token.expiry == scene.clock.now().wall.addingTimeInterval(3600))
            let sent = try #require(scene.transport.requests.first)
            #expect(sent.refreshToken == Secret("work-refresh-1"))
            #expect(sent.parameter("grant_type") == Secret("refresh_token"))
            #expect(sent.parameter("client_id") == Secret("client"))
            #expect(sent.header("Authorization") == nil)
            let stored = try scene.stored()
            #expect(stored.refreshText == "work-refresh-2")
            #expect(stored.tokens.previous?.value == Secret("work-refresh-1"))
            #expect(stored.intent == nil)
            #expect(stored.settings.issuer == nil)
        }
    }

    @Test(
        "PE-04, cli A14, cli A15, C4, C5: no refresh token, null or an empty one keep the stored one",
        arguments: ["", #","refresh_token":null"#, #","refresh_token":"""#]
    )
    func refreshTokenIsKept(member: String) async throws {
        let transport = ScriptedTransport(
            .response(200, body: #"{"access_token":"second","expires_in":3600\#(member)}"#),
            .response(200, body: #"{"access_token":"third","expires_in":3600\#(member)}"#)
        )
        try await withScene(transport) { scene in
            try await scene.addExpired()
            #expect(try await scene.vault.accessToken(for: "work").text == "second")
            #expect(try scene.stored().refreshText == "work-refresh-1")
            #expect(try scene.stored().generation == 2)
            #expect(try await scene.vault.refresh("work").text == "third")
            #expect(
                transport.requests.map(\.refreshToken).allSatisfy { $0 == Secret("work-refresh-1") }
            )
        }
    }

    @Test("a refresh token that comes back unchanged is not spent")
    func unchangedRefreshTokenIsNotSpent() async throws {
        let transport = ScriptedTransport(
            .grant(accessToken: "second", refreshToken: "work-refresh-1"),
            .response(200, body: #"{"refresh_token":"work-refresh-1"}"#)
        )
        try await withScene(transport) { scene in
            try await scene.addExpired()
            try await scene.vault.refresh("work")
            #expect(try scene.stored().tokens.previous == nil)
            _ = await vaultError { try await scene.vault.refresh("work") }
            try await scene.vault.remove("work")
            // A spent one would be refused.
            try await scene.add()
        }
    }

    @Test("cli A24: a spent refresh token is not taken in again, not even for a removed account")
    func spentRefreshToken() async throws {
        try await withScene(RotatingServer().transport()) { scene in
            try await scene.addExpired()
            try await scene.vault.refresh("work")
            try await scene.vault.remove("work")
            let copied = TokenResponse.testing(accessToken: "x", refreshToken: "work-refresh-1")
            let refused = await vaultError { try await scene.vault.add(.testing("old"), copied) }
            #expect(refused?.code == .grantKnown)
        }
    }

    @Test("C09: a refresh token without an access token is stored and used next")
    func refreshTokenAlone() async throws {
        let transport = ScriptedTransport(
            .response(200, body: #"{"refresh_token":"rescued"}"#),
            .grant(accessToken: "third", refreshToken: "refresh-3")
        )
        try await withScene(transport) { scene in
            try await scene.addExpired()
            let error = await vaultError { try await scene.vault.accessToken(for: "work") }
            #expect(error?.code == .outcomeUnknown)
            #expect(try scene.stored().refreshText == "rescued")
            #expect(try scene.stored().accessText == "work-access-1")
            scene.clock.advance(by: 300)
            #expect(try await scene.vault.accessToken(for: "work").text == "third")
            #expect(transport.requests.last?.refreshToken == Secret("rescued"))
        }
    }

    @Test(
        "server D22: who answers with nothing but refresh tokens is asked again only after a while"
    )
    func refreshTokensAloneForever() async throws {
        let transport = ScriptedTransport { request in
            let last = request.refreshToken?.reveal { $0 } ?? ""
            return .response(200, body: #"{"refresh_token":"\#(last)x"}"#)
        }
        try await withScene(transport) { scene in
            try await scene.addExpired()
            for _ in 1...100 {
                _ = await vaultError { try await scene.vault.accessToken(for: "work") }
            }
            #expect(transport.requestCount == 1)
            #expect(try scene.stored().refreshText == "work-refresh-1x")
        }
    }

    @Test("C05, ER-09: a scope that is not stated stays, a narrower one is no reason to ask again")
    func scope() async throws {
        let transport = ScriptedTransport(
            .grant(accessToken: "second", scope: "a b"),
            .grant(accessToken: "third")
        )
        try await withScene(transport) { scene in
            try await scene.addExpired()
            let granted = try await scene.vault.accessToken(for: "work").grantedScope
            #expect(granted == Scope(["a", "b"]))
            for _ in 1...10 { _ = try await scene.vault.accessToken(for: "work") }
            #expect(transport.requestCount == 1)
            let kept = try await scene.vault.refresh("work").grantedScope
            #expect(kept == Scope(["a", "b"]))
        }
    }

    @Test("C02: a lifetime that nobody told is served and shown as unknown")
    func unknownLifetime() async throws {
        let transport = ScriptedTransport(.grant(accessToken: "second", expiresIn: nil))
        try await withScene(transport) { scene in
            try await scene.addExpired()
            #expect(try await scene.vault.accessToken(for: "work").expiry == nil)
            scene.clock.advance(by: 1e6)
            #expect(try await scene.vault.accessToken(for: "work").text == "second")
            #expect(try await scene.vault.account("work").expiry == nil)
            // It is planned all the same.
            #expect(try await scene.vault.account("work").due != nil)
        }
    }

    @Test(
        "D02, PE-05: a lifetime under the minimum is stored, then refused, and not asked for again"
    )
    func unattainableMinimum() async throws {
        let server = RotatingServer(lifetime: 300)
        try await withScene(server.transport()) { scene in
            try await scene.addExpired()
            for _ in 1...20 {
                let error = await vaultError {
                    try await scene.vault.accessToken(for: "work", minimumLifetime: 600)
                }
                #expect(error?.code == .lifetimeTooShort)
                #expect(error?.facts[.wanted] == "600")
            }
            #expect(server.requestCount == 1)
            #expect(try scene.stored().refreshText == "work-refresh-2")
            #expect(try await scene.vault.accessToken(for: "work").text == "work-access-2")
        }
    }

    @Test("a minimum that is no number of seconds harms nobody", arguments: [1e300, .infinity])
    func immeasurableMinimum(minimum: Double) async throws {
        try await withScene(RotatingServer().transport()) { scene in
            try await scene.addExpired()
            let error = await vaultError {
                try await scene.vault.accessToken(for: "work", minimumLifetime: minimum)
            }
            #expect(error?.code == .lifetimeTooShort)
        }
    }

    @Test("a lifetime counts from when the request was sent")
    func lifetimeCountsFromSending() async throws {
        let hold = Hold()
        let transport = ScriptedTransport(
            .grant(accessToken: "second", refreshToken: "r", expiresIn: 400).held(by: hold)
        )
        try await withScene(transport) { scene in
            try await scene.addExpired()
            let sent = scene.clock.now().wall
            let caller = Task { try await scene.vault.accessToken(for: "work") }
            try await hold.waitForArrivals()
            scene.clock.advance(by: 20)
            hold.release()
            #expect(try await caller.value.expiry == sent.addingTimeInterval(400))
        }
    }

    @Test("the refresh token before the last is kept for a day and no longer")
    func previousRefreshToken() async throws {
        let transport = ScriptedTransport(
            .grant(accessToken: "second", refreshToken: "refresh-2"),
            .grant(accessToken: "third"),
            .grant(accessToken: "fourth")
        )
        try await withScene(transport) { scene in
            try await scene.addExpired()
            try await scene.vault.refresh("work")
            try await scene.vault.refresh("work")
            #expect(try scene.stored().tokens.previous?.value == Secret("work-refresh-1"))
            scene.clock.advance(by: 86_401)
            try await scene.vault.refresh("work")
            #expect(try scene.stored().tokens.previous == nil)
        }
    }

    @Test("C06: long tokens come back byte for byte")
    func longTokens() async throws {
        let access = String(repeating: "aZ-9._~+/=", count: 1640)
        let refresh = String(repeating: "r", count: 8192)
        let transport = ScriptedTransport(.grant(accessToken: access, refreshToken: refresh))
        try await withScene(transport) { scene in
            try await scene.addExpired()
            #expect(try await scene.vault.accessToken(for: "work").text == access)
            #expect(try scene.stored().refreshText == refresh)
        }
    }
}
