import OAuth
import Testing
import VaultCrypto
import VaultHTTPServer
import VaultKit

@testable import VaultAgentServer

/// Metadata of a server that means harm, or was meddled with.
@Suite struct HostileMetadataTests {
    private func agent(
        authorization: String = "https://as.example/authorize",
        token: String = "https://as.example/token",
        issuer: String = ScriptedServer.issuer
    ) async throws -> AgentFixture {
        let quoted = { (text: String) in
            text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        }
        let body = """
            {"issuer":"\(quoted(issuer))","token_endpoint":"\(quoted(token))",\
            "authorization_endpoint":"\(quoted(authorization))"}
            """
        return try await AgentFixture.make(
            ScriptedServer(metadata: { HTTPResponse(status: 200, body: Secret(body)) })
        )
    }

    private static let addresses: [(String, String)] = [
        ("file:///etc/passwd", "endpoint_insecure"), ("smb://host/share", "endpoint_insecure"),
        ("javascript:alert(1)", "endpoint_insecure"), ("data:text/html,x", "endpoint_insecure"),
        ("http://as.example/x", "endpoint_insecure"),
        ("http://127.0.0.1.evil.example/", "endpoint_insecure"),
        ("https://user:word@as.example/", "metadata_malformed"),
        ("https://as.example@evil.example/", "metadata_malformed"),
        ("https://as.example\\@evil.example/", "metadata_malformed"),
        ("https://x/\"&calc&\"", "metadata_malformed"), ("https://x/`id`", "metadata_malformed"),
        ("https://x/a b", "metadata_malformed"), ("https://x/\u{7}", "metadata_malformed"),
        ("https://x/#f", "metadata_malformed"), ("https://x:0/", "metadata_malformed"),
        ("-version", "metadata_malformed"), ("$(id)", "metadata_malformed"),
        // Cyrillic, full width, a dot of another script, an invisible letter, and escaped.
        ("https://\u{430}s.example/", "metadata_malformed"),
        ("https://\u{ff41}s.example/", "metadata_malformed"),
        ("https://as\u{3002}example/", "metadata_malformed"),
        ("https://a\u{200b}s.example/", "metadata_malformed"),
        ("https://%61s.example/", "metadata_malformed"),
        ("https://as.example./", "metadata_malformed"), ("https:///x", "metadata_malformed"),
        ("", "metadata_malformed"),
    ]

    @Test("security 15, 4: no such address is opened or listened for", arguments: addresses)
    func authorizationEndpoint(address: String, reason: String) async throws {
        let agent = try await agent(authorization: address)
        let error = await #expect(throws: VaultError.self) { try await SignInAttempt.begin(agent) }
        #expect(error?.code == .signInFailed && error?.facts[.reason] == reason)
        #expect(agent.server.exchanges.isEmpty)
        await agent.service.stop()
    }

    @Test("no code is sent to such an address", arguments: addresses)
    func tokenEndpoint(address: String, reason: String) async throws {
        let agent = try await agent(token: address)
        let error = await #expect(throws: VaultError.self) { try await SignInAttempt.begin(agent) }
        #expect(error?.code == .signInFailed && error?.facts[.reason] == reason)
        await agent.service.stop()
    }

    @Test(
        "metadata that speaks for somebody else is refused",
        arguments: [
            "https://evil.example", "https://as.example.evil.example", "https://as.example/x",
            "http://as.example", "https://as.example:8443", "https://\u{430}s.example",
        ]
    )
    func otherIssuer(issuer: String) async throws {
        let agent = try await agent(issuer: issuer)
        let error = await #expect(throws: VaultError.self) { try await SignInAttempt.begin(agent) }
        #expect(error?.facts[.reason] == "issuer_mismatch")
        await agent.service.stop()
    }

    /// RFC 3986 allows these letters in a path.
    ///
    /// They go to the browser in an answer, and to no program in its words.
    @Test func whatAShellWouldReadReachesNoShell() async throws {
        let agent = try await agent(authorization: "https://as.example/$(id);a&b='c'")
        let attempt = try await SignInAttempt.begin(agent)
        #expect(
            attempt.startURL.wholeMatch(of: /http:\/\/127\.0\.0\.1:\d+\/start-[\w-]{43}/)
                != nil
        )
        attempt.signIn.cancel()
        await agent.service.stop()
    }

    /// A host in another script is written in its ASCII form by whoever means it, and shown so.
    @Test func anotherScriptHasToBeWrittenInItsASCIIForm() async throws {
        let issuer = "https://xn--bcher-kva.example"
        let body = """
            {"issuer":"\(issuer)","token_endpoint":"\(issuer)/token",\
            "authorization_endpoint":"https://XN--BCHER-KVA.example/authorize"}
            """
        let agent = try await AgentFixture.make(
            ScriptedServer(metadata: { HTTPResponse(status: 200, body: Secret(body)) })
        )
        for (typed, isTaken) in [(issuer, true), ("https://b\u{fc}cher.example", false)] {
            let answer = await agent.answer(
                "POST",
                "/v1/sign-ins",
                body: #"{"name":"work","issuer":"\#(typed)","clientID":"client","scope":[]}"#
            )
            #expect((answer.status == 201) == isTaken)
            if !isTaken { #expect(answer.text.contains("host_not_ascii")) }
        }
        await agent.service.stop()
    }
}
