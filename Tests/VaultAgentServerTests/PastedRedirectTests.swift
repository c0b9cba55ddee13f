import OAuth
import Testing
import VaultAgentClient
import VaultHTTPServer
import VaultKit

@testable import VaultAgentServer

/// Pasting the address that a browser on another machine ended on.
@Suite struct PastedRedirectTests {
    private static func give(
        _ address: String,
        _ attempt: SignInAttempt
    ) async throws -> (status: Int, word: String) {
        let body = String(
            decoding: try WireJSON.encode(RedirectDocument(redirect: address)),
            as: UTF8.self
        )
        let target = "/v1/sign-ins/\(attempt.signIn.id)/redirect"
        let answer = await attempt.agent.answer("POST", target, body: body)
        guard answer.status == 200 else {
            let failure = try WireJSON.decode(ErrorDocument.self, from: answer.body).error
            return (answer.status, failure.facts["reason"] ?? failure.code)
        }
        let document = try WireJSON.decode(SignInDocument.self, from: answer.body)
        return (answer.status, document.state.rawValue)
    }

    @Test func cliH07ThePastedAddressIsJudgedLikeTheListeners() async throws {
        let agent = try await AgentFixture.make()
        let attempt = try await SignInAttempt.begin(agent)
        let redirect = attempt.browser.redirectURI
        for (address, reason) in [
            ("\(redirect)?code=stolen&state=wrong", "not_the_answer"),
            ("\(redirect)?code=stolen", "not_the_answer"),
            (
                "\(redirect)?code=stolen&state=\(attempt.state)&iss=https://evil.example",
                "not_the_answer"
            ),
            ("canary-code", "other_address"), ("", "other_address"),
            ("https://evil.example/callback?code=c&state=\(attempt.state)", "other_address"),
            ("http://127.0.0.1:1/callback?code=c&state=\(attempt.state)", "other_address"),
            (
                "\(redirect)?code=c&state=\(attempt.state)"
                    + String(repeating: "x", count: 1 << 16),
                "not_the_answer"
            ),
        ] {
            let told = try await Self.give(address, attempt)
            #expect(told.status == 400 && told.word == reason, "\(address.prefix(80))")
        }
        #expect(agent.server.exchanges.isEmpty && attempt.signIn.outcome == nil)
        let pasted = " \(redirect)?code=canary-code&state=\(attempt.state) \n"
        #expect(try await Self.give(pasted, attempt) == (200, "ready"))
        // Nobody listens any more, and it counts once.
        #expect(try await Self.give(pasted, attempt) == (200, "ready"))
        #expect(agent.server.exchanges.count == 1)
        #expect(try await attempt.isClosed())
        await agent.service.stop()
    }

    @Test func theListenerStaysForWhoeverIsFirst() async throws {
        let agent = try await AgentFixture.make()
        let attempt = try await SignInAttempt.begin(agent)
        agent.server.gate.shut()
        async let page = attempt.comeBack("code=canary-code")
        #expect(await eventually { agent.server.exchanges.count == 1 })
        async let told = Self.give(
            "\(attempt.browser.redirectURI)?code=canary-code&state=\(attempt.state)",
            attempt
        )
        agent.server.gate.open()
        #expect(try await told == (200, "ready"))
        #expect(try await page?.body.contains("is ready") == true)
        #expect(agent.server.exchanges.count == 1)
        await agent.service.stop()
    }

    @Test func aRefusalThatIsPastedEndsIt() async throws {
        let agent = try await AgentFixture.make()
        let attempt = try await SignInAttempt.begin(agent)
        let address = "\(attempt.browser.redirectURI)?error=access_denied&state=\(attempt.state)"
        #expect(try await Self.give(address, attempt) == (200, "failed"))
        #expect(await attempt.outcome() == "sign_in_failed refused access_denied")
        #expect(agent.server.exchanges.isEmpty)
        await agent.service.stop()
    }

    @Test func aSignInNobodyKnowsTakesNothing() async throws {
        let agent = try await AgentFixture.make()
        let answer = await agent.answer(
            "POST",
            "/v1/sign-ins/nope/redirect",
            body: #"{"redirect":"x"}"#
        )
        #expect(answer.status == 404)
        await agent.service.stop()
    }
}
