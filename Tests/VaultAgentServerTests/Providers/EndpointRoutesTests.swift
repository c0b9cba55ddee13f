import OAuth
import Platform
import Testing
import VaultAgentClient
import VaultCrypto
import VaultHTTPServer
import VaultKit
import VaultStore

@testable import VaultAgentServer

/// An account's endpoints move when somebody agrees to what its server publishes, and not before.
@Suite struct EndpointRoutesTests {
    private static let target = "/v1/accounts/work/endpoints"

    private func agent(
        publishing token: Locked<String>,
        issuer: String? = ScriptedServer.issuer
    ) async throws -> AgentFixture {
        let server = ScriptedServer(metadata: {
            HTTPResponse(
                status: 200,
                body: Secret(
                    """
                    {"issuer":"\(ScriptedServer.issuer)",\
                    "authorization_endpoint":"https://as.example/authorize",\
                    "token_endpoint":"\(token.withLock { $0 })"}
                    """
                )
            )
        })
        let agent = try await AgentFixture.make(server)
        try await agent.vault.add(
            AccountRegistration(
                name: "work",
                client: Client(id: ClientID(rawValue: "c")),
                tokenEndpoint: try EndpointURL("https://as.example/token"),
                authorizationEndpoint: try EndpointURL("https://as.example/authorize"),
                issuer: issuer
            ),
            TokenResponse(accessToken: Secret("at"), refreshToken: Secret("rt"))
        )
        return agent
    }

    private func pinned(_ agent: AgentFixture) async throws -> String? {
        try await agent.vault.pinnedEndpoints(of: "work")[.token]?.string
    }

    @Test func whatIsTheSameIsNoChange() async throws {
        let agent = try await agent(publishing: Locked("https://as.example/token"))
        let answer = await agent.answer("GET", Self.target)
        #expect(answer.status == 200 && answer.text.contains(#""changes":[]"#))
        await agent.service.stop()
    }

    @Test func endpointsMoveOnceSomebodyAgrees() async throws {
        let agent = try await agent(publishing: Locked("https://as.example/v2/token"))
        let found = await agent.answer("GET", Self.target)
        #expect(
            found.text.contains(#""found":"https://as.example/v2/token""#)
                && found.text.contains(#""pinned":"https://as.example/token""#)
        )
        #expect(try await pinned(agent) == "https://as.example/token")

        let agreed = #"{"endpoints":{"token_endpoint":"https://as.example/v2/token"}}"#
        #expect(await agent.answer("POST", Self.target, body: agreed).status == 204)
        #expect(try await pinned(agent) == "https://as.example/v2/token")
        // The next refresh goes there.
        #expect(await agent.answer("POST", "/v1/accounts/work/refresh").status == 200)
        #expect(agent.server.asked.last?.url == "https://as.example/v2/token")
        await agent.service.stop()
    }

    @Test func endpointsThatDiscoveryFoundMoveToo() async throws {
        let version = Locked(1)
        let server = ScriptedServer(metadata: {
            let base = "\(ScriptedServer.issuer)/v\(version.withLock { $0 })"
            return HTTPResponse(
                status: 200,
                body: Secret(
                    """
                    {"issuer":"\(ScriptedServer.issuer)",\
                    "authorization_endpoint":"\(ScriptedServer.issuer)/authorize",\
                    "token_endpoint":"\(ScriptedServer.issuer)/token",\
                    "revocation_endpoint":"\(base)/revoke","userinfo_endpoint":"\(base)/me"}
                    """
                )
            )
        })
        let agent = try await AgentFixture.make(server)
        agent.server.answerNext(200, ScriptedServer.granted)
        let attempt = try await SignInAttempt.begin(agent)
        _ = try await attempt.comeBack("code=canary-code")
        #expect(await attempt.outcome() == "ready")
        version.withLock { $0 = 2 }
        let found = await agent.answer("GET", Self.target)
        let changes = try WireJSON.decode(EndpointsDocument.self, from: found.body).changes
        #expect(changes.map(\.name) == ["revocation_endpoint", "userinfo_endpoint"])
        let agreed = """
            {"endpoints":{"revocation_endpoint":"https://as.example/v2/revoke",\
            "userinfo_endpoint":"https://as.example/v2/me"}}
            """
        #expect(await agent.answer("POST", Self.target, body: agreed).status == 204)
        #expect(await agent.answer("POST", "/v1/accounts/work/logout").status == 200)
        #expect(agent.server.asked.last?.url == "https://as.example/v2/revoke")
        await agent.service.stop()
    }

    @Test func anEndpointOfTheProvidersOwnFormIsNotCompared() async throws {
        let agent = try await agent(publishing: Locked("https://as.example/token"))
        var registration = try #require(try await agent.vault.registration(of: "work"))
        registration.revocationEndpoint = try EndpointURL("https://as.example/deauthorize")
        registration.revocationForm = .accessToken
        try await agent.vault.signIn(
            registration,
            TokenResponse(accessToken: Secret("at2"), refreshToken: Secret("rt2")),
            sent: SystemClock().now()
        )
        #expect(try await agent.vault.pinnedEndpoints(of: "work")[.revocation] == nil)
        let answer = await agent.answer("GET", Self.target)
        #expect(answer.status == 200 && answer.text.contains(#""changes":[]"#))
        await agent.service.stop()
    }

    @Test func whatNobodyWasShownIsNotPinned() async throws {
        let token = Locked("https://as.example/v2/token")
        let agent = try await agent(publishing: token)
        #expect(await agent.answer("GET", Self.target).status == 200)
        token.withLock { $0 = "https://evil.example/token" }
        for body in [
            #"{"endpoints":{"token_endpoint":"https://as.example/v2/token"}}"#,
            #"{"endpoints":{}}"#,
        ] {
            let answer = await agent.answer("POST", Self.target, body: body)
            #expect(answer.status == 503 && answer.text.contains("endpoints_changed"))
        }
        #expect(try await pinned(agent) == "https://as.example/token")
        await agent.service.stop()
    }

    @Test func anAccountWithoutAnIssuerHasNothingToCompareWith() async throws {
        let agent = try await agent(publishing: Locked(""), issuer: nil)
        let answer = await agent.answer("GET", Self.target)
        #expect(answer.status == 400 && answer.text.contains("no_issuer"))
        #expect(agent.server.asked.isEmpty)
        #expect(await agent.answer("GET", "/v1/accounts/nobody/endpoints").status == 404)
        await agent.service.stop()
    }
}
