import FoundationEssentials
import OAuth
import Testing
import VaultAgentClient
import VaultCrypto
import VaultHTTPServer
import VaultKit

@testable import VaultAgentServer

/// Who signed in, signing out and renaming, as the agent has them.
@Suite struct SignOutRoutesTests {
    private static func server() -> ScriptedServer {
        ScriptedServer(#","revocation_endpoint":"https://as.example/revoke""#)
    }

    /// A token answer with an ID token of a person.
    private static func granted(_ subject: String, _ number: Int) -> String {
        let end = Int(Date.now.timeIntervalSince1970) + 600
        let claims = """
            {"iss":"\(ScriptedServer.issuer)","aud":"client","exp":\(end),"sub":"\(subject)",\
            "email":"\(subject)@x.example"}
            """
        let token = [#"{"alg":"none"}"#, claims].map { text in
            Data(text.utf8).base64EncodedString().replacing("=", with: "")
        }
        return """
            {"access_token":"canary-access-\(number)","refresh_token":"canary-refresh-\(number)",\
            "expires_in":3600,"id_token":"\(token.joined(separator: ".")).x"}
            """
    }

    private static func signIn(
        _ agent: AgentFixture,
        _ subject: String,
        _ number: Int
    ) async throws
        -> String?
    {
        agent.server.answerNext(200, granted(subject, number))
        let attempt = try await SignInAttempt.begin(agent)
        _ = try await attempt.comeBack("code=canary-code")
        return await attempt.outcome()
    }

    private static func revoked(_ agent: AgentFixture) -> [String] {
        agent.server.asked.filter { $0.url.hasSuffix("/revoke") }.map { $0.body }
            .compactMap { $0.split(separator: "&").first.map(String.init) }
    }

    @Test("E08: the agent tells who signed in, and refuses somebody else")
    func identity() async throws {
        let agent = try await AgentFixture.make(Self.server())
        #expect(try await Self.signIn(agent, "alice", 1) == "ready")
        let list = await agent.answer("GET", "/v1/accounts")
        #expect(list.text.contains(#""subject":"alice""#))
        #expect(list.text.contains(#""displayName":"alice@x.example""#))
        #expect(try await Self.signIn(agent, "mallory", 2) == "other_identity revoked")
        #expect(
            Self.revoked(agent) == ["token=canary-refresh-2", "token=canary-access-2"]
        )
        let account = try await agent.vault.account("work")
        #expect(account.identity?.subject == "alice" && account.generation == 1)
        await agent.service.stop()
    }

    @Test("an account is signed out of, and may be kept for the next sign-in")
    func signOut() async throws {
        let agent = try await AgentFixture.make(Self.server())
        #expect(try await Self.signIn(agent, "alice", 1) == "ready")
        let kept = await agent.answer("POST", "/v1/accounts/work/logout?keep=true")
        #expect(kept.status == 200)
        #expect(kept.text.contains(#""failure":null,"kept":true,"schemaVersion":1,"sharing":[]"#))
        #expect(Self.revoked(agent).count == 2)
        // All of it is remembered.
        agent.server.answerNext(200, Self.granted("alice", 2))
        let begun = await agent.answer(
            "POST",
            "/v1/sign-ins",
            body: #"{"name":"work","scope":[]}"#
        )
        #expect(begun.status == 201)
        let gone = await agent.answer("POST", "/v1/accounts/work/logout")
        #expect(gone.status == 200 && gone.text.contains(#""kept":false"#))
        #expect(await agent.answer("POST", "/v1/accounts/work/logout").status == 404)
        for field in ["keep=yes", "force=1", "x=true"] {
            #expect(await agent.answer("POST", "/v1/accounts/work/logout?\(field)").status == 400)
        }
        await agent.service.stop()
    }

    @Test("K08: a revocation that cannot be asked for is told, and forced on")
    func failure() async throws {
        let agent = try await AgentFixture.make()
        #expect(try await Self.signIn(agent, "alice", 1) == "ready")
        let failed = await agent.answer("POST", "/v1/accounts/work/logout")
        #expect(failed.status == 409 && failed.text.contains(#""reason":"no_endpoint""#))
        let forced = await agent.answer("POST", "/v1/accounts/work/logout?force=true")
        #expect(forced.status == 200 && forced.text.contains("revocation_failed"))
        #expect(try await agent.vault.accounts().isEmpty)
        await agent.service.stop()
    }

    @Test func anAccountGetsAnotherName() async throws {
        let agent = try await AgentFixture.make()
        #expect(try await Self.signIn(agent, "alice", 1) == "ready")
        for (body, status) in [
            (#"{"name":"a b"}"#, 400), ("{}", 400), (#"{"name":"x","y":1}"#, 400),
            (#"{"name":"office"}"#, 204),
        ] {
            let answer = await agent.answer("POST", "/v1/accounts/work/rename", body: body)
            #expect(answer.status == status)
        }
        #expect(try await agent.vault.accounts().map(\.name) == ["office"])
        await agent.service.stop()
    }

    @Test("a static token goes in with nothing but a name, and tells what it is")
    func staticToken() async throws {
        let agent = try await AgentFixture.make()
        func add(_ members: String) async -> (status: Int, text: String) {
            let token = #""tokenResponse":"{\"access_token\":\"canary-access\"}""#
            let body = #"{"name":"key","scope":[],"grant":"static",\#(token)\#(members)}"#
            let answer = await agent.answer("POST", "/v1/accounts", body: body)
            return (answer.status, answer.text)
        }
        #expect(await add(#","clientID":"c""#).status == 400)
        let added = await add("")
        #expect(added.status == 201)
        #expect(added.text.contains(#""grant":"static""#))
        #expect(added.text.contains(#""state":"static""#))
        #expect(added.text.contains(#""renewable":false"#))
        #expect(await add("").status == 409)
        #expect(await add(#","replace":true"#).status == 201)
        #expect(await agent.answer("GET", "/v1/accounts/key/token").status == 200)
        let refreshed = await agent.answer("POST", "/v1/accounts/key/refresh")
        #expect(refreshed.status == 409 && refreshed.text.contains(#""reason":"static""#))
        await agent.service.stop()
    }
}
