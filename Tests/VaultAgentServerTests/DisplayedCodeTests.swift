import Glibc
import OAuth
import Platform
import Testing
import VaultAgentClient
import VaultHTTPServer
import VaultKit
import VaultStore

@testable import VaultAgentServer

/// A provider whose page shows the code: a person may paste that alone.
@Suite struct DisplayedCodeTests {
    private static let page = "https://id.acme.example/code"

    /// What a file of the person's own says of the provider.
    private static func file(_ more: String) -> String {
        """
        {"acme": {"title": "Acme",
          "authorization_endpoint": "https://id.acme.example/authorize",
          "token_endpoint": "\(ScriptedServer.issuer)/token",
          "console": "https://id.acme.example/apps"\(more)}}
        """
    }

    private static func agent(_ more: String) async throws -> AgentFixture {
        let agent = try await AgentFixture.make()
        let folder = agent.location.providers
        #expect(mkdir(folder, 0o700) == 0)
        let path = folder + "/acme.json"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try Descriptor.write(file(more), to: descriptor)
        return agent
    }

    private static func begin(
        _ agent: AgentFixture,
        _ members: String = #","clientID":"client""#
    ) async throws -> HTTPServerResponse {
        await agent.answer(
            "POST",
            "/v1/sign-ins",
            body: #"{"name":"work","scope":["a"],"provider":"acme"\#(members)}"#
        )
    }

    private static func document(_ answer: HTTPServerResponse) throws -> SignInDocument {
        try WireJSON.decode(SignInDocument.self, from: answer.body)
    }

    private static func give(
        _ text: String,
        to signIn: SignInDocument,
        _ agent: AgentFixture
    ) async throws -> HTTPServerResponse {
        let body = String(
            decoding: try WireJSON.encode(RedirectDocument(redirect: text)),
            as: UTF8.self
        )
        return await agent.answer("POST", "/v1/sign-ins/\(signIn.id)/redirect", body: body)
    }

    @Test("the code alone signs in, bound by the proof key, where the page is the provider's")
    func code() async throws {
        let agent = try await Self.agent(
            #", "displays_code": true, "redirect_uri": "\#(Self.page)""#
        )
        let signIn = try Self.document(try await Self.begin(agent))
        #expect(signIn.takesCode == true && signIn.redirectURI == Self.page)
        // No listener of the vault's could lead on, or be come back to.
        #expect(signIn.startURL == nil)
        #expect(signIn.authorizationURL?.contains("code_challenge=") == true)
        for text in ["", "  ", "two words", "c\u{e9}", "code=x", "?code=x&state=y", "a\u{7}"] {
            let answer = try await Self.give(text, to: signIn, agent)
            #expect(answer.status == 400, "\(text)")
        }
        #expect(agent.server.exchanges.isEmpty)
        let answer = try await Self.give(" 4/canary-code \n", to: signIn, agent)
        #expect(try Self.document(answer).state == .ready)
        let exchange = try #require(agent.server.exchanges.first)
        #expect(exchange.contains("code=4%2Fcanary-code&"))
        #expect(exchange.contains("redirect_uri=https%3A%2F%2Fid.acme.example%2Fcode"))
        #expect(exchange.contains("code_verifier="))
        // It counts once; and the next sign-in needs no more than the name.
        _ = try await Self.give("another", to: signIn, agent)
        #expect(agent.server.exchanges.count == 1)
        let again = try Self.document(
            await agent.answer("POST", "/v1/sign-ins", body: #"{"name":"work","scope":[]}"#)
        )
        #expect(again.takesCode == true && again.redirectURI == Self.page)
        await agent.service.stop()
    }

    @Test("the page's whole address is judged by its state")
    func address() async throws {
        let agent = try await Self.agent(
            #", "displays_code": true, "redirect_uri": "\#(Self.page)""#
        )
        let signIn = try Self.document(try await Self.begin(agent))
        let query = EndpointURL(unchecked: signIn.authorizationURL ?? "").query ?? ""
        let state = try #require(FormCoding.decode(query).first { $0.name == "state" }?.value)
        let wrong = try await Self.give("\(Self.page)?code=c&state=x", to: signIn, agent)
        #expect(wrong.status == 400 && wrong.text.contains("not_the_answer"))
        let right = try await Self.give("\(Self.page)?code=c&state=\(state)", to: signIn, agent)
        #expect(try Self.document(right).state == .ready)
        await agent.service.stop()
    }

    @Test("a client whose registration fixes a loopback address is listened for all the same")
    func loopback() async throws {
        let agent = try await Self.agent(#", "displays_code": true"#)
        let signIn = try Self.document(try await Self.begin(agent))
        #expect(signIn.takesCode == true && signIn.startURL != nil)
        #expect(signIn.redirectURI?.hasPrefix("http://127.0.0.1:") == true)
        let told = try await Self.give("canary-code", to: signIn, agent)
        #expect(try Self.document(told).state == .ready)
        await agent.service.stop()
    }

    @Test("at any other provider the whole address is needed")
    func others() async throws {
        let agent = try await Self.agent("")
        let signIn = try Self.document(try await Self.begin(agent))
        #expect(signIn.takesCode == nil)
        let answer = try await Self.give("canary-code", to: signIn, agent)
        #expect(answer.status == 400 && answer.text.contains("other_address"))
        #expect(agent.server.exchanges.isEmpty)
        await agent.service.stop()
    }

    @Test("without a client it is said where to register one, and with which address")
    func console() async throws {
        for (more, wanted) in [
            (
                #", "displays_code": true, "redirect_uri": "urn:ietf:wg:oauth:2.0:oob""#,
                "urn:ietf:wg:oauth:2.0:oob"
            ),
            ("", "http://127.0.0.1:8400/callback"),
        ] {
            let agent = try await Self.agent(more)
            let answer = try await Self.begin(agent, "")
            #expect(answer.status == 400)
            let error = try WireJSON.decode(ErrorDocument.self, from: answer.body).error
            #expect(error.facts["console"] == "https://id.acme.example/apps")
            #expect(error.facts["wanted"] == wanted)
            // What is registered then is no other address.
            let told = try await Self.begin(
                agent,
                #","clientID":"client","redirectURI":"\#(wanted)""#
            )
            #expect(told.status == 201)
            await agent.service.stop()
        }
    }
}
