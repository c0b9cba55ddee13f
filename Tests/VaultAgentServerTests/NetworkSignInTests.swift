import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultAgentClient
import VaultCrypto
import VaultHTTPServer
import VaultKit
import VaultStore

@testable import VaultAgentServer

/// How the requests of a sign-in, and of the account that it makes, reach the server.
@Suite struct NetworkSignInTests {
    private static let pem = "-----BEGIN CERTIFICATE-----\nMIIBAA==\n-----END CERTIFICATE-----\n"
    private static let issuer = ScriptedServer.issuer

    private func begin(_ agent: AgentFixture, _ more: String) async -> HTTPServerResponse {
        await agent.answer(
            "POST",
            "/v1/sign-ins",
            body: #"{"name":"work","issuer":"\#(Self.issuer)","clientID":"client","scope":[]"#
                + more + "}"
        )
    }

    /// Begins a sign-in as a command does, and comes back from the browser.
    private func signIn(_ agent: AgentFixture, _ more: String) async throws {
        let answer = await begin(agent, more)
        #expect(answer.status == 201, "\(answer.text)")
        let document = try JSONDecoder().decode(SignInDocument.self, from: Data(answer.body))
        let attempt = try #require(
            try agent.service.vault.session().signIns.signIn(document.id).map {
                try SignInAttempt(agent, $0)
            }
        )
        #expect(try await attempt.comeBack("code=c")?.status == 200)
        #expect(await attempt.outcome() == "ready")
    }

    private func options(_ agent: AgentFixture) async throws -> NetworkOptions {
        try await #require(try agent.vault.registration(of: "work")).network
    }

    @Test func everyRequestGoesTheWayThatWasTold() async throws {
        let agent = try await AgentFixture.make()
        let escaped = Self.pem.replacing("\n", with: "\\n")
        try await signIn(
            agent,
            #","network":{"proxy":"http://proxy.example:3128","certificateAuthorities":"\#(escaped)","#
                + #""clientCertificate":"/c.pem","clientKey":"/c.key"}"#
        )
        let expected = NetworkOptions(
            proxy: try ProxyURL("http://proxy.example:3128"),
            certificateAuthorities: try CertificateAuthorities(pem: Self.pem),
            clientCertificate: ClientCertificate(certificatePath: "/c.pem", keyPath: "/c.key")
        )
        #expect(try await options(agent) == expected)
        // Discovery, and the exchange of the code.
        #expect(agent.server.asked.map(\.network) == [expected, expected])
        _ = await agent.answer("POST", "/v1/accounts/work/refresh")
        #expect(agent.server.asked.map(\.network) == [expected, expected, expected])

        // Signing in anew needs to be told nothing; none takes away.
        try await signIn(agent, "")
        #expect(try await options(agent) == expected)
        try await signIn(
            agent,
            #","network":{"proxy":"none","certificateAuthorities":"none","#
                + #""clientCertificate":"none"}"#
        )
        #expect(try await options(agent) == NetworkOptions())
        await agent.service.stop()
    }

    @Test func whatTheConfigurationSaysHoldsForNewAccounts() async throws {
        let agent = try await AgentFixture.make()
        let text = """
            {"defaults": {"proxy": "http://proxy.example:1", "parameters": {"audience": "x"},
            "refresh_parameters": {"a": "b"}}}
            """
        agent.service.configure(try VaultConfiguration(Array(text.utf8)))
        try await signIn(agent, "")
        let registration = try #require(try await agent.vault.registration(of: "work"))
        #expect(registration.network.proxy?.text == "http://proxy.example:1")
        #expect(registration.authorizationParameters == [RequestParameter("audience", "x")])
        #expect(registration.refresh.parameters == [RequestParameter("a", "b")])
        // The account keeps what it began with, whatever becomes of the configuration.
        agent.service.configure(VaultConfiguration())
        try await signIn(agent, "")
        #expect(try await agent.vault.registration(of: "work") == registration)
        await agent.service.stop()
    }

    /// RFC 8705 §5; the browser goes where everybody goes.
    @Test(arguments: [true, false])
    func aClientWithACertificateHasEndpointsOfItsOwn(hasCertificate: Bool) async throws {
        let alias = "https://mtls.as.example/token"
        let agent = try await AgentFixture.make(
            ScriptedServer(
                #","mtls_endpoint_aliases":{"token_endpoint":"\#(alias)","#
                    + #""authorization_endpoint":"https://mtls.as.example/authorize"}"#
            )
        )
        try await signIn(
            agent,
            hasCertificate ? #","network":{"clientCertificate":"/c.pem"}"# : ""
        )
        let registration = try #require(try await agent.vault.registration(of: "work"))
        let plain = "\(Self.issuer)/token"
        #expect(registration.tokenEndpoint.string == (hasCertificate ? alias : plain))
        #expect(registration.authorizationEndpoint?.string == "\(Self.issuer)/authorize")
        #expect(agent.server.asked.last?.url == registration.tokenEndpoint.string)
        await agent.service.stop()
    }

    @Test func theBrowserIsSentWithTheParameters() async throws {
        let agent = try await AgentFixture.make()
        let more = #"[{"name":"audience","value":"a b"},{"name":"prompt","value":"consent"}]"#
        let answer = await begin(
            agent,
            #","authorizationParameters":\#(more),"refreshParameters":[{"name":"a","value":"b"}]"#
        )
        #expect(answer.status == 201)
        let document = try JSONDecoder().decode(SignInDocument.self, from: Data(answer.body))
        #expect(document.authorizationURL?.hasSuffix("&audience=a%20b&prompt=consent") == true)
        await agent.service.stop()
    }

    @Test(
        "refuses",
        arguments: [
            (#""network":{"proxy":"http://u:canary-secret@p.example:1"}"#, "proxy"),
            (#""network":{"proxy":"p.example"}"#, "proxy"),
            (#""network":{"certificateAuthorities":"/etc/own.pem"}"#, "certificate_authorities"),
            (#""network":{"clientCertificate":"c.pem"}"#, "client_certificate"),
            (#""network":{"clientKey":"/c.key"}"#, "client_key"),
            (#""network":{"proxies":[]}"#, "network.proxies"),
            (#""network":[]"#, "network"),
            (
                #""authorizationParameters":[{"name":"redirect_uri","value":"x"}]"#,
                "authorization_parameters"
            ),
            (
                #""refreshParameters":[{"name":"client_secret","value":"canary-secret"}]"#,
                "refresh_parameters"
            ),
        ]
    )
    func refuses(member: String, field: String) async throws {
        let agent = try await AgentFixture.make()
        let answer = await begin(agent, "," + member)
        #expect(answer.status == 422 || answer.status == 400)
        #expect(answer.text.contains(#""field":"\#(field)""#), "\(answer.text)")
        #expect(!answer.text.contains("canary-secret"))
        #expect(agent.server.asked.isEmpty)
        await agent.service.stop()
    }

    @Test func anAddedAccountHasItsWayToo() async throws {
        let agent = try await AgentFixture.make()
        let answer = await agent.answer(
            "POST",
            "/v1/accounts",
            body: #"{"name":"work","tokenEndpoint":"\#(Self.issuer)/token","clientID":"client","#
                + #""clientAuthentication":"none","scope":[],"network":{"#
                + #""proxy":"socks5://127.0.0.1:1"},"authorizationParameters":[{"name":"a","#
                + #""value":"b"}],"tokenResponse":"{\"access_token\":\"a\",\"token_type\":"#
                + #"\"Bearer\",\"refresh_token\":\"r\"}"}"#
        )
        #expect(answer.status == 201, "\(answer.text)")
        #expect(try await options(agent).proxy?.text == "socks5://127.0.0.1:1")
        let registration = try await agent.vault.registration(of: "work")
        #expect(registration?.authorizationParameters == [RequestParameter("a", "b")])
        await agent.service.stop()
    }
}
