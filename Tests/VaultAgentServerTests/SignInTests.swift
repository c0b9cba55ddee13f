import FoundationEssentials
import Platform
import Testing
import VaultAgentClient
import VaultCrypto
import VaultHTTPServer
import VaultKit
import VaultStore

@testable import VaultAgentServer

@Suite struct SignInTests {
    @Test func storesTheGrantThatTheCodeBrings() async throws {
        let agent = try await AgentFixture.make()
        let attempt = try await SignInAttempt.begin(agent)
        #expect(attempt.browser.redirectURI == "http://127.0.0.1:\(attempt.port)/callback")
        #expect(attempt.signIn.outcome == nil)

        let page = try #require(try await attempt.comeBack("code=canary-code"))
        #expect(page.status == 200 && page.body.contains("<b>work</b> is ready"))
        #expect(await attempt.outcome() == "ready")

        #expect(agent.server.exchanges.count == 1)
        let form = FormCoding.decode(agent.server.exchanges.first ?? "")
        let fields = Dictionary(form.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        #expect(fields["grant_type"] == "authorization_code")
        #expect(fields["code"] == "canary-code" && fields["client_id"] == "client")
        #expect(fields["redirect_uri"] == attempt.browser.redirectURI)
        #expect((fields["code_verifier"] ?? "").utf8.count >= 43)

        let token = await agent.answer("GET", "/v1/accounts/work/token")
        #expect(token.text.contains("canary-access"))
        #expect(try await attempt.isClosed())
        await agent.service.stop()
    }

    @Test func noMoreWaitAtATimeThanMay() async throws {
        let agent = try await AgentFixture.make()
        var attempts: [SignInAttempt] = []
        for _ in 1...SignIns.limit { attempts.append(try await SignInAttempt.begin(agent)) }
        let failure = await #expect(throws: VaultError.self) {
            _ = try await SignInAttempt.begin(agent)
        }
        #expect(failure?.code == .busy && failure?.facts == [.reason: "sign_ins"])
        attempts[0].signIn.cancel()
        attempts.append(try await SignInAttempt.begin(agent))
        await agent.service.stop()
    }

    @Test func theBrowserIsSentWithEverythingAndNoSecret() async throws {
        let agent = try await AgentFixture.make()
        let attempt = try await SignInAttempt.begin(agent, secret: Secret("canary-secret"))
        let url = attempt.browser.authorizationURL.string
        #expect(url.hasPrefix("https://as.example/authorize?"))
        let query = FormCoding.decode(attempt.browser.authorizationURL.query ?? "")
        #expect(
            query.map(\.name) == [
                "response_type", "client_id", "redirect_uri", "state", "code_challenge",
                "code_challenge_method", "scope",
            ]
        )
        #expect(query.last?.value == "a b" && attempt.state.utf8.count >= 43)
        #expect(!url.contains("canary-secret"))
        attempt.signIn.cancel()
        await agent.service.stop()
    }

    @Test(
        "waits on through what is not the answer",
        arguments: [
            ("GET", "/callback?code=c", 400), ("GET", "/callback?code=c&state=", 400),
            ("GET", "/callback?code=c&state=wrong", 400), ("GET", "/callback?state=STATE", 400),
            ("GET", "/callback?code=c&state=STATE&state=STATE", 400), ("GET", "/callback", 400),
            ("GET", "/callback?error=access_denied", 400),
            ("GET", "/callback?error=access_denied&state=wrong", 400),
            ("GET", "/favicon.ico", 404), ("GET", "/", 404),
            ("GET", "/Callback?code=c&state=STATE", 404),
            ("GET", "/callback/?code=c&state=STATE", 404),
            ("GET", "//callback?code=c&state=STATE", 404),
            ("GET", "/x/../callback?code=c&state=STATE", 404),
            ("HEAD", "/callback?code=c&state=STATE", 405),
            ("POST", "/callback?code=c&state=STATE", 405),
            ("OPTIONS", "/callback?code=c&state=STATE", 405),
            ("GET", "http://evil.example/callback?code=c&state=STATE", 421),
            ("GET", "/callback?code=c&state=STATE&iss=https://evil.example", 400),
        ]
    )
    func ignored(method: String, target: String, status: Int) async throws {
        let agent = try await AgentFixture.make()
        let attempt = try await SignInAttempt.begin(agent)
        let page = try await attempt.get(
            target.replacing("STATE", with: attempt.state),
            method: method,
            headers: method == "POST" ? "Content-Length: 0\r\n" : ""
        )
        #expect(page?.status == status)
        #expect(attempt.signIn.outcome == nil)
        #expect(agent.server.exchanges.isEmpty)
        // The real answer still counts.
        #expect(try await attempt.comeBack("code=canary-code")?.status == 200)
        #expect(await attempt.outcome() == "ready")
        await agent.service.stop()
    }

    @Test func aHostThatIsNotOursIsRefused() async throws {
        let agent = try await AgentFixture.make()
        let attempt = try await SignInAttempt.begin(agent)
        let page = try await onThread { [port = attempt.port, state = attempt.state] in
            let browser = try Browser(port: port)
            let target = "/callback?code=c&state=\(state)"
            browser.say(Array("GET \(target) HTTP/1.1\r\nHost: rebound.example\r\n\r\n".utf8))
            return try browser.page()
        }
        #expect(page?.status == 421 && attempt.signIn.outcome == nil)
        attempt.signIn.cancel()
        await agent.service.stop()
    }

    @Test func aCallbackThatComesTwiceIsExchangedOnce() async throws {
        let agent = try await AgentFixture.make()
        agent.server.gate.shut()
        let attempt = try await SignInAttempt.begin(agent)
        async let first = attempt.comeBack("code=canary-code")
        #expect(await eventually { agent.server.exchanges.count == 1 })
        // While the first is being exchanged, and with the very same request.
        #expect(try await attempt.comeBack("code=canary-code")?.status == 410)
        agent.server.gate.open()
        #expect(try await first?.status == 200)
        #expect(await attempt.outcome() == "ready")
        #expect(agent.server.exchanges.count == 1)
        #expect(try await attempt.isClosed())
        await agent.service.stop()
    }

    @Test(
        "a promised issuer has to come and to be right",
        arguments: [
            ("", 400, nil), ("&iss=https://evil.example", 400, nil),
            ("&iss=https://as.example/", 400, nil), ("&iss=", 400, nil),
            ("&iss=https%3A%2F%2Fas.example", 200, "ready"),
        ] as [(String, Int, String?)]
    )
    func issuer(parameter: String, status: Int, outcome: String?) async throws {
        let server = ScriptedServer(#","authorization_response_iss_parameter_supported":true"#)
        let agent = try await AgentFixture.make(server)
        let attempt = try await SignInAttempt.begin(agent)
        #expect(try await attempt.comeBack("code=canary-code\(parameter)")?.status == status)
        #expect(agent.server.exchanges.count == (outcome == nil ? 0 : 1))
        if let outcome {
            #expect(await attempt.outcome() == outcome)
        } else {
            #expect(attempt.signIn.outcome == nil)
        }
        attempt.signIn.cancel()
        await agent.service.stop()
    }

    @Test func pagesCarryNothingFromOutside() async throws {
        let agent = try await AgentFixture.make()
        let attempt = try await SignInAttempt.begin(agent)
        let ignored = try #require(try await attempt.get("/callback?code=canary-code&state=wrong"))
        let ready = try #require(try await attempt.comeBack("code=canary-code&x=canary-body"))
        for page in [ignored, ready] {
            #expect(page.header("Cache-Control") == "no-store")
            #expect(page.header("Referrer-Policy") == "no-referrer")
            #expect(page.header("X-Content-Type-Options") == "nosniff")
            #expect(page.header("Content-Type") == "text/html; charset=utf-8")
            let policy = try #require(page.header("Content-Security-Policy"))
            #expect(policy.hasPrefix("default-src 'none'"))
            for word in AgentFixture.canaries + [
                attempt.state, "<script", "<form", "http://", "src=",
            ] {
                #expect(!page.body.contains(word) && !page.head.contains(word), "\(word)")
            }
        }
        await agent.service.stop()
    }

    @Test func listensOn127001AloneAndOnlyAsLongAsNeeded() async throws {
        let agent = try await AgentFixture.make()
        let attempt = try await SignInAttempt.begin(agent)
        let port = attempt.port
        try await onThread {
            _ = try Browser(port: port)
            #expect(throws: SystemError.connectionRefused) {
                try Browser(port: port, address: 0x7f00_0002)
            }
        }
        attempt.signIn.cancel()
        #expect(await attempt.outcome() == "sign_in_failed cancelled")
        #expect(try await attempt.isClosed())
        #expect(agent.server.exchanges.isEmpty)
        await agent.service.stop()
    }
}
