import Testing
import VaultAgentClient
import VaultHTTPServer
import VaultKit

@testable import VaultAgentServer

@Suite struct ClientRoutesTests {
    private static func document(
        id: String = "client",
        secret: String = "new-secret",
        endpoint: String? = nil,
        method: String? = nil,
        keepsOld: Bool = false
    ) throws -> String {
        let document = SetClientSecretDocument(
            clientID: id,
            clientSecret: secret,
            tokenEndpoint: endpoint,
            clientAuthentication: method,
            keepsOld: keepsOld
        )
        return String(decoding: try WireJSON.encode(document), as: UTF8.self)
    }

    private func expectNoSecret(_ answer: HTTPServerResponse) {
        for canary in AgentFixture.canaries + ["new-secret"] {
            #expect(!answer.text.contains(canary))
        }
    }

    @Test func listsClientsAndGivesOneAnotherSecret() async throws {
        let agent = try await AgentFixture.make()
        var addition = Addition()
        addition.clientAuthentication = "client_secret_post"
        #expect(await agent.answer("POST", "/v1/accounts", body: addition.json).status == 201)
        let list = await agent.answer("GET", "/v1/clients")
        #expect(list.status == 200)
        let document = try WireJSON.decode(ClientListDocument.self, from: list.body)
        let client = try #require(document.clients.first)
        #expect(document.clients.count == 1 && document.damaged.isEmpty)
        #expect(client.id == "client" && client.tokenEndpoint == "https://as.example/token")
        #expect(client.accounts == 1 && client.authentication == "client_secret_post")
        #expect(client.state == "ok" && !client.otherSecret)

        let set = await agent.answer(
            "POST",
            "/v1/clients/secret",
            body: try Self.document(method: "client_secret_post", keepsOld: true)
        )
        #expect(set.status == 200)
        let change = try WireJSON.decode(ClientChangeDocument.self, from: set.body)
        #expect(change.clientID == "client" && change.accounts == ["work"])
        #expect(await agent.answer("POST", "/v1/accounts/work/refresh").status == 200)
        #expect(agent.server.exchanges.last?.contains("client_secret=new-secret") == true)
        let after = await agent.answer("GET", "/v1/clients")
        #expect(after.text.contains(#""otherSecret":true"#))
        for answer in [list, set, after] { expectNoSecret(answer) }
        let log = try agent.log()
        #expect(!log.contains("new-secret") && !log.contains("canary"))
        await agent.service.stop()
    }

    @Test(
        "refuses what is wrong and changes nothing",
        arguments: [
            (#"{"clientID":"client","keepsOld":false}"#, 400, "invalid_input", "clientSecret"),
            (try document().replacing("}", with: #","x":1}"#), 400, "invalid_input", "x"),
            ("", 400, "invalid_input", "body"), ("[]", 400, "invalid_input", "body"),
            (try document() + "x", 400, "invalid_input", "body"),
            (try document(id: ""), 400, "invalid_input", "client_id"),
            (try document(secret: ""), 400, "invalid_input", "client_secret"),
            (try document(method: "none"), 400, "invalid_input", "client_secret"),
            (try document(method: "x"), 400, "invalid_input", "client_authentication"),
            (try document(endpoint: "http://as.example"), 400, "invalid_input", "token_endpoint"),
            (try document(id: "other"), 404, "no_such_client", nil),
            (try document(endpoint: "https://other.example"), 404, "no_such_client", nil),
        ] as [(String, Int, String, String?)]
    )
    func wrong(body: String, status: Int, code: String, field: String?) async throws {
        let agent = try await AgentFixture.make()
        #expect(await agent.answer("POST", "/v1/accounts", body: Addition().json).status == 201)
        let answer = await agent.answer("POST", "/v1/clients/secret", body: body)
        #expect(answer.status == status)
        let failure = try WireJSON.decode(ErrorDocument.self, from: answer.body).error
        #expect(failure.code == code && failure.facts["field"] == field)
        expectNoSecret(answer)
        let client = try await agent.vault.registration(of: "work")?.client
        #expect(client?.secret?.reveal { $0 } == "canary-secret")
        await agent.service.stop()
    }

    @Test func aLockedAgentHasNone() async throws {
        let agent = try await AgentFixture.make()
        #expect(await agent.answer("POST", "/v1/lock", body: "{}").status == 200)
        #expect(await agent.answer("GET", "/v1/clients").status == 423)
        let set = await agent.answer("POST", "/v1/clients/secret", body: try Self.document())
        #expect(set.status == 423)
        await agent.service.stop()
    }
}
