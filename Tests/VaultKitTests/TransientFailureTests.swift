import FoundationEssentials
import OAuth
import Testing
import VaultCrypto
import VaultTesting

@testable import VaultKit

/// Failures that pass: nothing is lost, nobody is asked, and nothing is hammered.
@Suite(.timeLimit(.minutes(1))) struct TransientFailureTests {
    @Test(
        "ER-01, ER-02, B01, B03, B04, B06, B07, cli B13, C07, server C15, D6, D8, D9, server D18, server D20: what is stored stays",
        arguments: TransientFailureRow.all
    )
    func keepsThePair(row: TransientFailureRow) async throws {
        try await withScene(ScriptedTransport(row.answer)) { scene in
            try await scene.addExpired()
            let events = scene.vault.events
            let error = await vaultError { try await scene.vault.accessToken(for: "work") }
            #expect(scene.transport.requestCount == 1)
            #expect(error?.code == row.code)
            #expect(error?.account == "work")
            #expect(error?.facts.values.allSatisfy { !$0.contains("cut") } == true)
            let stored = try scene.stored()
            #expect(stored.generation == 1)
            #expect(stored.refreshText == "work-refresh-1")
            #expect(stored.accessText == "work-access-1")
            #expect(stored.tokens.signInNeeded == nil)
            #expect(stored.health.state == row.state)
            #expect(stored.health.failures?.count == 1)
            #expect((stored.intent != nil) == row.leavesIntent)
            let shown = try await scene.vault.account("work")
            #expect(shown.lastFailure == row.code.rawValue)
            #expect(shown.due != nil)
            #expect(
                await everything(of: events, closing: scene.vault)
                    == [.refreshFailed(row.code), .stateChanged(row.state)]
            )
        }
    }

    @Test(
        "B01, server D16, server E11, cli A19: seconds left are handed out with a warning, a minimum is not met"
    )
    func secondsLeft() async throws {
        try await withScene(ScriptedTransport(.response(500), .response(500))) { scene in
            try await scene.add()
            scene.clock.advance(by: 3570)
            let token = try await scene.vault.accessToken(for: "work")
            #expect(token.text == "work-access-1")
            #expect(token.warning == .refreshFailing)
            let strict = await vaultError {
                try await scene.vault.accessToken(for: "work", minimumLifetime: 60)
            }
            #expect(strict?.code == .outcomeUnknown)
            scene.clock.advance(by: 26)
            // Four seconds are not worth handing out.
            let late = await vaultError { try await scene.vault.accessToken(for: "work") }
            #expect(late?.code == .outcomeUnknown)
        }
    }

    @Test(
        "server D23, cli B12: hammering a failing account sends nothing before the back-off is over"
    )
    func hammering() async throws {
        let transport = ScriptedTransport { _ in .failure(.notSent(.connectionFailed)) }
        try await withScene(transport) { scene in
            try await scene.addExpired()
            for _ in 1...100 {
                let error = await vaultError { try await scene.vault.accessToken(for: "work") }
                #expect(error?.code == .unreachable)
            }
            #expect(transport.requestCount == 1)
            // An hour of a call a second.
            for _ in 1...3600 {
                scene.clock.advance(by: 1)
                _ = await vaultError { try await scene.vault.accessToken(for: "work") }
            }
            #expect(transport.requestCount < 150)
            #expect(transport.requestCount > 2)
        }
    }

    @Test("cli A19: refresh() passes over the back-off, sends once and reports what came of it")
    func forcedRefresh() async throws {
        let transport = ScriptedTransport(
            .failure(.notSent(.connectionFailed)),
            .failure(.ambiguous(.timedOut)),
            .grant(accessToken: "second", refreshToken: "refresh-2")
        )
        try await withScene(transport) { scene in
            try await scene.add()
            let first = await vaultError { try await scene.vault.refresh("work") }
            #expect(first?.code == .unreachable)
            let second = await vaultError { try await scene.vault.refresh("work") }
            #expect(second?.code == .outcomeUnknown)
            // What was good stays good.
            #expect(try await scene.vault.accessToken(for: "work").warning == nil)
            #expect(try await scene.vault.refresh("work").text == "second")
            #expect(try scene.stored().health.failures == nil)
        }
    }

    @Test("ER-02: Retry-After is kept to, also by refresh()")
    func retryAfter() async throws {
        let transport = ScriptedTransport(
            .response(429, headers: [(name: "Retry-After", value: "120")]),
            .grant(accessToken: "second", refreshToken: "refresh-2")
        )
        try await withScene(transport) { scene in
            try await scene.addExpired()
            let first = await vaultError { try await scene.vault.accessToken(for: "work") }
            #expect(first?.code == .throttled)
            #expect(first?.retryAfter == 120)
            scene.clock.advance(by: 100)
            let again = await vaultError { try await scene.vault.accessToken(for: "work") }
            #expect(again?.code == .throttled)
            let forced = await vaultError { try await scene.vault.refresh("work") }
            #expect(forced?.code == .throttled)
            #expect(transport.requestCount == 1)
            scene.clock.advance(by: 21)
            #expect(try await scene.vault.accessToken(for: "work").text == "second")
        }
    }

    @Test("D7, D9: after an unknown outcome the token is sent once more, and not before 10 seconds")
    func quietPeriod() async throws {
        let transport = ScriptedTransport(
            .response(503),
            .grant(accessToken: "second", refreshToken: "refresh-2")
        )
        try await withScene(transport) { scene in
            try await scene.addExpired()
            _ = await vaultError { try await scene.vault.accessToken(for: "work") }
            scene.clock.advance(by: 8)
            _ = await vaultError { try await scene.vault.accessToken(for: "work") }
            #expect(transport.requestCount == 1)
            // The back-off comes on top: up to two seconds, and a third for whole ones.
            scene.clock.advance(by: 5)
            #expect(try await scene.vault.accessToken(for: "work").text == "second")
            #expect(try scene.stored().intent == nil)
        }
    }

    @Test(
        "D9: an unknown outcome stays unknown through failures that say nothing about it",
        arguments: [
            .response(429), .failure(.notSent(.connectionFailed)), .refusal("invalid_scope"),
            .refusal("invalid_client", status: 401),
        ] as [ScriptedAnswer]
    )
    func outcomeStaysUnknown(between: ScriptedAnswer) async throws {
        let transport = ScriptedTransport(.response(500), between, .refusal("invalid_grant"))
        try await withScene(transport) { scene in
            try await scene.addExpired()
            for _ in 1...3 {
                _ = await vaultError { try await scene.vault.accessToken(for: "work") }
                scene.clock.advance(by: 600)
            }
            #expect(transport.requestCount == 3)
            #expect(try scene.stored().tokens.signInNeeded?.reason == .rotationLost)
        }
    }

    @Test("B9: when the claim cannot be written nothing is sent, and seconds left are handed out")
    func claimFails() async throws {
        try await withScene { scene in
            try await scene.add()
            scene.clock.advance(by: 3570)
            let saboteur = try Saboteur(scene.home.location)
            try saboteur.breakClaims()
            let token = try await scene.vault.accessToken(for: "work")
            #expect(token.warning == .refreshFailing)
            let strict = await vaultError {
                try await scene.vault.accessToken(for: "work", minimumLifetime: 60)
            }
            #expect(strict?.code == .storage)
            #expect(scene.transport.requestCount == 0)
        }
    }

    @Test("a failure count from the file that cannot be true harms nobody")
    func hostileFailureCount() async throws {
        let transport = ScriptedTransport { _ in .response(500) }
        try await withScene(transport) { scene in
            try await scene.addExpired()
            _ = await vaultError { try await scene.vault.accessToken(for: "work") }
            try Saboteur(scene.home.location).setFailureCount(.max)
            _ = await vaultError { try await scene.vault.refresh("work") }
            #expect(transport.requestCount == 2)
            #expect(try scene.stored().health.failures != nil)
        }
    }
}
