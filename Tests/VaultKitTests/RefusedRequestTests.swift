import FoundationEssentials
import OAuth
import Testing
import VaultCrypto
import VaultStore
import VaultTesting

@testable import VaultKit

/// What a server does not grant of an account that is otherwise well.
@Suite(.timeLimit(.minutes(1))) struct RefusedRequestTests {
    private static let mail = Scope(["mail"])
    private static let unconsented = #"{"error":"invalid_grant","suberror":"consent_required"}"#

    /// Grants everything but what is asked for beside the account's own.
    private func server(refusing answer: ScriptedAnswer) -> ScriptedTransport {
        let server = RotatingServer()
        return ScriptedTransport { request in
            let isSpecial =
                request.parameter("scope") != nil || request.parameter("resource") != nil
            return isSpecial ? answer : server.answer(to: request)
        }
    }

    private func refusal(
        _ scene: Scene,
        _ scope: Scope? = mail,
        resource: String? = nil
    ) async -> VaultError? {
        await vaultError {
            try await scene.vault.accessToken(for: "work", scope: scope, resource: resource)
        }
    }

    @Test(
        "a scope that is refused says nothing about the account, and is not asked for again at once",
        arguments: [
            (.response(400, body: unconsented), .signInNeeded),
            (.refusal("interaction_required"), .signInNeeded),
            (.refusal("unauthorized_client"), .clientRefused),
            (.refusal("invalid_client", status: 401), .clientRefused),
            (.refusal("invalid_resource"), .requestRefused),
            (.refusal("invalid_scope", headers: [("Retry-After", "0")]), .requestRefused),
        ] as [(ScriptedAnswer, VaultError.Code)]
    )
    func saysNothing(answer: ScriptedAnswer, code: VaultError.Code) async throws {
        let transport = server(refusing: answer)
        try await withScene(transport) { scene in
            try await scene.add()
            let before = try scene.stored()
            for _ in 1...50 { #expect(await refusal(scene)?.code == code) }
            #expect(transport.requestCount == 1)
            for number in 1...3 {
                let error = await refusal(scene, nil, resource: "https://\(number).example")
                #expect(error?.code == code)
            }
            let stored = try scene.stored()
            #expect(stored.health == before.health)
            #expect(stored.tokens == before.tokens)
            #expect(stored.intent == nil)
            #expect(try scene.vault.store.clientState(of: stored).breaker == nil)
            #expect(try await scene.vault.refresh("work").text == "work-access-2")
            #expect(transport.requestCount == 5)
        }
    }

    @Test("a scope that is refused like a dead grant makes the account's own refresh due")
    func likeADeadGrant() async throws {
        let transport = server(refusing: .refusal("invalid_grant"))
        try await withScene(transport) { scene in
            try await scene.add()
            scene.clock.advance(by: 40.5)
            #expect(await refusal(scene)?.code == .signInNeeded)
            #expect(try scene.stored().tokens.signInNeeded == nil)
            try await run(scene, for: 30)
            let stored = try scene.stored()
            #expect(stored.accessText == "work-access-2")
            #expect(stored.health.state == .active)
            #expect(await refusal(scene)?.code == .signInNeeded)
            #expect(transport.requestCount == 2)
        }
    }

    @Test("a grant that is dead is found so at once, whatever was asked for first")
    func deadGrant() async throws {
        let transport = ScriptedTransport { _ in .refusal("invalid_grant") }
        try await withScene(transport) { scene in
            try await scene.add()
            scene.clock.advance(by: 40.5)
            #expect(await refusal(scene)?.code == .signInNeeded)
            try await run(scene, for: 30)
            let stored = try scene.stored()
            #expect(stored.health.state == .signInNeeded)
            #expect(stored.tokens.signInNeeded?.reason == .grantRefused)
            #expect(transport.requestCount == 2)
        }
    }

    @Test("a refused scope waits as long as the server asks, and no new sign-in waits for it")
    func waits() async throws {
        let refused = ScriptedAnswer.refusal("invalid_scope", headers: [("Retry-After", "600")])
        let transport = ScriptedTransport(
            refused,
            refused,
            .grant(accessToken: "mail", refreshToken: "next")
        )
        try await withScene(transport) { scene in
            try await scene.add()
            for (wait, count) in [(0.0, 1), (590, 1), (11, 2)] {
                scene.clock.advance(by: wait)
                #expect(await refusal(scene)?.code == .requestRefused)
                #expect(transport.requestCount == count)
            }
            try await scene.signInAgain()
            let token = try await scene.vault.accessToken(for: "work", scope: Self.mail)
            #expect(token.text == "mail")
        }
    }

    @Test("a scope that was refused while somebody signed in is asked for with the new grant")
    func refusedDuringASignIn() async throws {
        let hold = Hold()
        let transport = ScriptedTransport(
            .refusal("invalid_scope").held(by: hold),
            .grant(accessToken: "mail", refreshToken: "next")
        )
        try await withScene(transport) { scene in
            try await scene.add()
            let caller = Task { try await scene.vault.accessToken(for: "work", scope: Self.mail) }
            try await hold.waitForArrivals()
            try await scene.signInAgain()
            hold.release()
            #expect(try await caller.value.text == "mail")
            #expect(transport.requestCount == 2)
            #expect(try scene.stored().accessText == "new-access")
        }
    }
}
