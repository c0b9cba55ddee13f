import OAuth
import Platform
import Testing
import VaultAgentClient
import VaultCrypto
import VaultHTTPServer
import VaultKit
import VaultStore
import VaultTesting

@testable import VaultAgentServer

/// Signing in with nothing but the client's own credentials (RFC 6749 §4.4).
@Suite(.timeLimit(.minutes(1))) struct ClientCredentialsTests {
    private static let granted = """
        {"access_token":"canary-access","token_type":"Bearer","expires_in":3600}
        """

    private func document(
        issuer: String? = ScriptedServer.issuer,
        secret: String? = "canary-secret",
        scope: [String] = ["a", "b"],
        flow: String? = "client-credentials",
        _ change: (inout BeginSignInDocument) -> Void = { _ in }
    ) -> BeginSignInDocument {
        var document = BeginSignInDocument(
            name: "work",
            issuer: issuer,
            clientID: issuer == nil ? nil : "client",
            clientSecret: secret,
            scope: scope,
            redirectURI: nil,
            flow: flow
        )
        document.refreshParameters = issuer.map { _ in
            [.init(RequestParameter("audience", "https://api.example"))]
        }
        change(&document)
        return document
    }

    /// Signs in and waits for the outcome, in a word or its error.
    private func outcome(
        of document: BeginSignInDocument,
        _ agent: AgentFixture
    ) async throws -> String? {
        let body = String(decoding: try WireJSON.encode(document), as: UTF8.self)
        let begun = await agent.answer("POST", "/v1/sign-ins", body: body)
        guard begun.status == 201 else { return begun.text }
        let id = try WireJSON.decode(SignInDocument.self, from: begun.body).id
        let answer = await agent.answer("GET", "/v1/sign-ins/\(id)?wait=20")
        #expect(!answer.text.contains("canary"))
        let ended = try WireJSON.decode(SignInDocument.self, from: answer.body)
        guard let error = ended.error else {
            return ended.renewable == true ? "\(ended.state)" : "\(ended.state), not renewable"
        }
        return ([error.code] + [error.facts["reason"], error.facts["error"]].compactMap { $0 })
            .joined(separator: " ")
    }

    @Test func theFirstTokenIsAskedForAsEachLaterOne() async throws {
        let agent = try await AgentFixture.make()
        agent.server.answerNext(200, Self.granted)
        #expect(try await outcome(of: document(), agent) == "ready")
        let stored = try await agent.vault.account("work")
        #expect(stored.grantKind == .clientCredentials && stored.state == .active)
        #expect(stored.identity == nil && stored.due != nil)
        agent.server.answerNext(200, Self.granted)
        _ = try await agent.vault.refresh("work")
        let sent = agent.server.exchanges
        #expect(
            sent.first == "grant_type=client_credentials&scope=a+b"
                + "&audience=https%3A%2F%2Fapi.example"
        )
        #expect(sent.count == 2 && sent.first == sent.last)
        // Nobody asked who signed in.
        #expect(!agent.server.asked.contains { $0.url.contains("userinfo") })
        await agent.service.stop()
    }

    @Test func aNameAloneSignsInAgain() async throws {
        let agent = try await AgentFixture.make()
        for secret in ["canary-secret", nil] {
            agent.server.answerNext(200, Self.granted)
            let again = document(
                issuer: secret.map { _ in ScriptedServer.issuer },
                secret: secret,
                scope: secret == nil ? [] : ["a", "b"],
                flow: secret == nil ? nil : "client-credentials"
            )
            #expect(try await outcome(of: again, agent) == "ready")
        }
        let sent = agent.server.exchanges
        #expect(sent.count == 2 && sent.first == sent.last)
        await agent.service.stop()
    }

    @Test(
        "what has no credentials is told before anything is sent",
        arguments: [(nil, "secret", "client_id"), ("client", nil, "client_secret")]
            as [(String?, String?, String)]
    )
    func missing(clientID: String?, secret: String?, field: String) async throws {
        let agent = try await AgentFixture.make()
        let document = BeginSignInDocument(
            name: "work",
            issuer: ScriptedServer.issuer,
            clientID: clientID,
            clientSecret: secret,
            scope: [],
            redirectURI: nil,
            flow: "client-credentials"
        )
        let body = String(decoding: try WireJSON.encode(document), as: UTF8.self)
        let answer = await agent.answer("POST", "/v1/sign-ins", body: body)
        let failure = try WireJSON.decode(ErrorDocument.self, from: answer.body).error
        #expect(failure.code == "invalid_input")
        #expect(failure.facts == ["field": field, "reason": "no_credentials"])
        #expect(agent.server.exchanges.isEmpty)
        await agent.service.stop()
    }

    @Test func aCertificateIsEnough() async throws {
        let agent = try await AgentFixture.make()
        agent.server.answerNext(200, Self.granted)
        let document = document(secret: nil) { document in
            document.network = NetworkDocument(clientCertificate: "/nowhere/client.pem")
        }
        #expect(try await outcome(of: document, agent) == "ready")
        let asked = try #require(agent.server.asked.last)
        #expect(asked.body.contains("&client_id=client"))
        #expect(asked.network.clientCertificate != nil)
        await agent.service.stop()
    }

    @Test func aServerForMachinesNeedsNoPage() async throws {
        let server = ScriptedServer { () throws(HTTPTransportError) in
            HTTPResponse(
                status: 200,
                body: Secret(
                    """
                    {"issuer":"\(ScriptedServer.issuer)",\
                    "token_endpoint":"\(ScriptedServer.issuer)/token"}
                    """
                )
            )
        }
        let agent = try await AgentFixture.make(server)
        server.answerNext(200, Self.granted)
        #expect(try await outcome(of: document(), agent) == "ready")
        await agent.service.stop()
    }

    @Test(
        "a refusal is told as at every other request",
        arguments: [
            (
                401, #"{"error":"invalid_client"}"#,
                "client_refused credentials_refused invalid_client"
            ),
            (
                400, #"{"error":"unauthorized_client"}"#,
                "client_refused credentials_refused unauthorized_client"
            ),
            (
                400, #"{"error":"invalid_scope"}"#,
                "request_refused credentials_refused invalid_scope"
            ),
            (429, "canary-body", "throttled credentials_refused"),
            (200, #"{"token_type":"Bearer"}"#, "sign_in_failed credentials_refused"),
        ]
    )
    func refused(status: Int, body: String, outcome: String) async throws {
        let agent = try await AgentFixture.make()
        agent.server.answerNext(status, body)
        #expect(try await self.outcome(of: document(), agent) == outcome)
        #expect(try await agent.vault.accounts().isEmpty)
        await agent.service.stop()
    }

    @Test func anAccountBecomesTheOtherKindAndBack() async throws {
        let agent = try await AgentFixture.make()
        let attempt = try await SignInAttempt.begin(agent, secret: Secret("canary-secret"))
        _ = try await attempt.comeBack("code=canary-code")
        #expect(await attempt.outcome() == "ready")
        #expect(try refreshToken(agent) == Secret("canary-refresh"))

        // A refresh token that came along after all is nothing to an account that spends none.
        #expect(try await outcome(of: document(), agent) == "ready")
        #expect(try refreshToken(agent) == nil)
        #expect(try await agent.vault.account("work").grantKind == .clientCredentials)

        let back = try await SignInAttempt.begin(agent, flow: "browser")
        _ = try await back.comeBack("code=canary-code")
        #expect(await back.outcome() == "ready")
        #expect(try refreshToken(agent) == Secret("canary-refresh"))
        #expect(try await agent.vault.account("work").grantKind == .refreshToken)
        await agent.service.stop()
    }

    private func refreshToken(_ agent: AgentFixture) throws -> Secret? {
        let file = try VaultFile(agent.location)
        try file.unlock(with: .keyFile)
        return try file.account(named: "work").tokens.refreshToken
    }

    /// What the catalogue says of a person's sign-in, and of refresh tokens, is left out.
    @Test func aProvidersHabitsOfRefreshTokensAreNotAMachines() throws {
        var person = AccountRegistration(
            name: "work",
            client: Client(
                id: ClientID(rawValue: "client"),
                secret: Secret("secret"),
                authentication: .clientSecretPost
            ),
            tokenEndpoint: EndpointURL(unchecked: "https://as.example/token"),
            issuer: ScriptedServer.issuer,
            refresh: RefreshOptions(
                parameters: [RequestParameter("type", "refresh")],
                endpoint: EndpointURL(unchecked: "https://as.example/refresh")
            )
        )
        let machine = try SignInRequest(
            document(issuer: nil, secret: nil, scope: ["a"]),
            for: "work",
            remembered: person
        )
        #expect(machine.refresh == RefreshOptions() && machine.clientSecret == Secret("secret"))
        person.grantKind = .clientCredentials
        let again = try SignInRequest(
            document(issuer: nil, secret: nil, scope: [], flow: nil),
            for: "work",
            remembered: person
        )
        #expect(again.refresh == person.refresh)
    }

    @Test func aNameAloneTellsTheKindOfAnAccountThatWasAdded() throws {
        let added = AccountRegistration(
            name: "work",
            client: Client(
                id: ClientID(rawValue: "client"),
                secret: Secret("secret"),
                authentication: .clientSecretPost
            ),
            tokenEndpoint: EndpointURL(unchecked: "https://as.example/token"),
            requestedScope: Scope(["a"]),
            grantKind: .clientCredentials
        )
        let request = try SignInRequest(
            document(issuer: nil, secret: nil, scope: [], flow: nil),
            for: "work",
            remembered: added
        )
        #expect(request.flow == .clientCredentials && request.requestedScope == Scope(["a"]))
        guard case .known(let metadata) = request.server.source else {
            Issue.record("\(request.server.source)")
            return
        }
        #expect(metadata.tokenEndpoint == added.tokenEndpoint)
    }
}
