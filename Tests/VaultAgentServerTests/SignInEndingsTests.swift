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

@Suite struct SignInEndingsTests {
    @Test(
        "a code that is refused is told, without the server's page",
        arguments: [
            (
                400, #"{"error":"invalid_grant","error_description":"canary-code was used"}"#,
                "sign_in_failed code_refused invalid_grant"
            ),
            (401, #"{"error":"invalid_client"}"#, "client_refused code_refused invalid_client"),
            (500, "canary-body", "sign_in_failed code_refused"),
            (429, "canary-body", "throttled code_refused"),
            (200, #"{"token_type":"Bearer"}"#, "sign_in_failed code_refused"),
            (302, "canary-body", "client_refused code_refused"),
        ]
    )
    func refused(status: Int, body: String, outcome: String) async throws {
        let agent = try await AgentFixture.make()
        agent.server.answerNext(status, body)
        let attempt = try await SignInAttempt.begin(agent)
        let page = try #require(try await attempt.comeBack("code=canary-code"))
        #expect(page.status == 200 && page.body.contains("Not signed in"))
        #expect(await attempt.outcome() == outcome)
        let told = await agent.answer("GET", "/v1/sign-ins/\(attempt.signIn.id)?wait=1")
        #expect(told.status == 200 && told.text.contains(#""state":"failed""#))
        for word in AgentFixture.canaries {
            #expect(!told.text.contains(word) && !page.body.contains(word), "\(word)")
        }
        #expect(try await agent.vault.accounts().isEmpty)
        await agent.service.stop()
    }

    @Test func aRefusalOfTheServerEndsIt() async throws {
        let agent = try await AgentFixture.make()
        let attempt = try await SignInAttempt.begin(agent)
        let page = try await attempt.comeBack("error=access_denied&error_description=no%1b%5b2J")
        #expect(page?.status == 200)
        #expect(await attempt.outcome() == "sign_in_failed refused access_denied")
        let told = await agent.answer("GET", "/v1/sign-ins/\(attempt.signIn.id)")
        let document = try WireJSON.decode(SignInDocument.self, from: told.body)
        #expect(document.error?.facts["error_description"] == "no[2J")
        #expect(agent.server.exchanges.isEmpty)
        await agent.service.stop()
    }

    @Test func aGrantWithoutRefreshTokenIsNotRenewable() async throws {
        let agent = try await AgentFixture.make()
        agent.server.answerNext(
            200,
            #"{"access_token":"a","token_type":"Bearer","expires_in":600}"#
        )
        let attempt = try await SignInAttempt.begin(agent)
        _ = try await attempt.comeBack("code=c")
        #expect(await attempt.outcome() == "ready, not renewable")
        let told = await agent.answer("GET", "/v1/sign-ins/\(attempt.signIn.id)")
        let document = try WireJSON.decode(SignInDocument.self, from: told.body)
        #expect(document.state == .ready && document.renewable == false && document.error == nil)
        await agent.service.stop()
    }

    @Test func signingInAgainReplacesTheGrant() async throws {
        let agent = try await AgentFixture.make()
        _ = await agent.answer("POST", "/v1/accounts", body: Addition().json)
        agent.server.answerNext(
            200,
            #"{"access_token":"second","refresh_token":"next","token_type":"Bearer"}"#
        )
        let attempt = try await SignInAttempt.begin(agent)
        _ = try await attempt.comeBack("code=c")
        #expect(await attempt.outcome() == "ready")
        let token = await agent.answer("GET", "/v1/accounts/work/token")
        #expect(token.text.contains(#""accessToken":"second""#))
        #expect(token.text.contains(#""generation":2"#))
        await agent.service.stop()
    }

    /// The code is spent: what it brings is stored, whatever was asked for meanwhile.
    @Test func neitherACancelNorAStopCutsAnExchange() async throws {
        let agent = try await AgentFixture.make()
        agent.server.gate.shut()
        let attempt = try await SignInAttempt.begin(agent)
        async let page = attempt.comeBack("code=canary-code")
        #expect(await eventually { agent.server.exchanges.count == 1 })
        #expect(await agent.answer("DELETE", "/v1/sign-ins/\(attempt.signIn.id)").status == 204)
        #expect(attempt.signIn.outcome == nil)
        async let stopped: Void = agent.service.stop()
        try await Task.sleep(for: .milliseconds(30))
        agent.server.gate.open()
        await stopped
        #expect(try await page?.body.contains("is ready") == true)
        #expect(await attempt.outcome() == "ready")
        let file = try VaultFile(agent.location)
        try file.unlock(with: .keyFile)
        #expect(try file.account(named: "work").tokens.refreshToken == Secret("canary-refresh"))
    }

    @Test func aStopEndsTheWaitForTheBrowserAtOnce() async throws {
        let agent = try await AgentFixture.make()
        let attempt = try await SignInAttempt.begin(agent)
        let id = attempt.signIn.id
        async let poll = agent.answer("GET", "/v1/sign-ins/\(id)?wait=25")
        await agent.service.stop()
        let told = try WireJSON.decode(SignInDocument.self, from: await poll.body)
        #expect(told.error?.facts["reason"] == "cancelled")
        #expect(try await attempt.isClosed())
        #expect(try await attempt.comeBack("code=c") == nil)
        #expect(agent.server.exchanges.isEmpty)
    }

    @Test func aStoreThatTakesNoWritesIsFoundOutBeforeTheBrowser() async throws {
        let agent = try await AgentFixture.make()
        // SQLite cannot make its journal where a directory is.
        let journal = agent.location.database + "-journal"
        try FileSystem.remove(journal)
        try FileSystem.makeDirectories(journal)
        let answer = await agent.answer("POST", "/v1/sign-ins", body: Self.beginning())
        #expect(answer.status == 500)
        let code = try WireJSON.decode(ErrorDocument.self, from: answer.body).error.code
        #expect(code == "unsafe_permissions")
        #expect(agent.server.asked.isEmpty)
        await agent.service.stop()
    }

    @Test(
        "tells why no sign-in begins",
        arguments: [
            (beginning(name: "-"), 400, "invalid_input", ["field": "name"]),
            (
                beginning(issuer: "http://as.example"), 400, "invalid_input",
                ["field": "issuer", "reason": "insecure"]
            ),
            (
                beginning(issuer: "https://other.example"), 502, "sign_in_failed",
                ["field": "issuer", "reason": "issuer_mismatch", "host": "other.example"]
            ),
            (
                beginning(redirectURI: "https://app.example/cb"), 400, "invalid_input",
                ["field": "redirect_uri", "reason": "not_loopback"]
            ),
        ]
    )
    func notBegun(body: String, status: Int, code: String, facts: [String: String]) async throws {
        let agent = try await AgentFixture.make()
        let answer = await agent.answer("POST", "/v1/sign-ins", body: body)
        #expect(answer.status == status)
        let failure = try WireJSON.decode(ErrorDocument.self, from: answer.body).error
        #expect(failure.code == code && failure.facts == facts)
        #expect(agent.server.exchanges.isEmpty)
        await agent.service.stop()
    }

    @Test(
        "tells what is wrong with an authorization server",
        arguments: [
            (
                200, #"{"issuer":"https://as.example"}"#, "sign_in_failed",
                ["reason": "endpoint_missing", "field": "token_endpoint"]
            ),
            (
                200, #"{"issuer":"https://as.example","token_endpoint":"http://as.example/t"}"#,
                "sign_in_failed", ["reason": "endpoint_insecure", "field": "token_endpoint"]
            ),
            (
                200, "<html>canary-body", "sign_in_failed",
                ["reason": "metadata_malformed", "field": "issuer"]
            ),
            (
                404, "canary-body", "sign_in_failed",
                ["reason": "metadata_not_found", "field": "issuer"]
            ),
            (
                302, "canary-body", "sign_in_failed",
                ["reason": "metadata_redirected", "field": "issuer"]
            ),
            (503, "canary-body", "unreachable", ["status": "503", "field": "issuer"]),
        ]
    )
    func server(status: Int, body: String, code: String, facts: [String: String]) async throws {
        let server = ScriptedServer { () throws(HTTPTransportError) in
            HTTPResponse(status: status, body: Secret(body))
        }
        let agent = try await AgentFixture.make(server)
        let answer = await agent.answer("POST", "/v1/sign-ins", body: Self.beginning())
        let failure = try WireJSON.decode(ErrorDocument.self, from: answer.body).error
        #expect(failure.code == code)
        #expect(failure.facts == facts.merging(["host": "as.example"]) { $1 })
        await agent.service.stop()
    }

    @Test func anUnreachableServerIsTemporary() async throws {
        let server = ScriptedServer { () throws(HTTPTransportError) in
            throw .notSent(.connectionFailed)
        }
        let agent = try await AgentFixture.make(server)
        let answer = await agent.answer("POST", "/v1/sign-ins", body: Self.beginning())
        #expect(answer.status == 503)
        let failure = try WireJSON.decode(ErrorDocument.self, from: answer.body).error
        #expect(failure.code == "unreachable" && failure.facts["reason"] == "connection_failed")
        await agent.service.stop()
    }

    @Test func aSignInNobodyKnowsIsNotFound() async throws {
        let agent = try await AgentFixture.make()
        let answer = await agent.answer("GET", "/v1/sign-ins/nope?wait=25")
        #expect(answer.status == 404)
        let failure = try WireJSON.decode(ErrorDocument.self, from: answer.body).error
        #expect(failure.code == "sign_in_failed" && failure.facts == ["reason": "not_known"])
        #expect(await agent.answer("DELETE", "/v1/sign-ins/nope").status == 204)
        await agent.service.stop()
    }

    @Test(
        "a poll waits as long as it was told and no longer",
        arguments: [
            ("", 200), ("?wait=0", 200), ("?wait=0.02", 200), ("?wait=-1", 400),
            ("?wait=nan", 400), ("?wait=x", 400), ("?wait=", 400),
        ]
    )
    func poll(query: String, status: Int) async throws {
        let agent = try await AgentFixture.make()
        let attempt = try await SignInAttempt.begin(agent)
        let answer = await agent.answer("GET", "/v1/sign-ins/\(attempt.signIn.id)\(query)")
        #expect(answer.status == status)
        #expect(answer.text.contains(#""state":"waiting""#) == (status == 200))
        attempt.signIn.cancel()
        await agent.service.stop()
    }

    private static func beginning(
        name: String = "work",
        issuer: String = ScriptedServer.issuer,
        redirectURI: String? = nil
    ) -> String {
        let document = BeginSignInDocument(
            name: name,
            issuer: issuer,
            clientID: "client",
            clientSecret: nil,
            scope: [],
            redirectURI: redirectURI
        )
        return String(decoding: (try? WireJSON.encode(document)) ?? [], as: UTF8.self)
    }
}
