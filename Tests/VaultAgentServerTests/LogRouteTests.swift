import FoundationEssentials
import Testing
import VaultAgentClient
import VaultHTTPServer
import VaultKit

@testable import VaultAgentServer

@Suite struct LogRouteTests {
    @Test("J05: the log says what was done to which account, and that it was the vault")
    func rows() async throws {
        let agent = try await AgentFixture.make()
        let add = await agent.answer("POST", "/v1/accounts", body: Addition().json)
        #expect(add.status == 201)
        #expect(await agent.answer("POST", "/v1/accounts/work/select").status == 204)
        let all = try await Self.document(agent, "")
        #expect(!all.locked && all.entries.allSatisfy { $0.genuine == true })
        let own = try await Self.document(agent, "?account=work").entries
        #expect(own.map(\.action).starts(with: ["account_added"]))
        #expect(own.allSatisfy { $0.account == "work" && $0.result == "ok" })
        #expect(
            try await Self.document(agent, "?limit=1").entries.map(\.number)
                == [all.entries.count].map(Int64.init)
        )
        #expect(try await Self.document(agent, "?since=2999-01-01T00:00:00Z").entries.isEmpty)
        #expect(try await Self.document(agent, "?account=none").entries.isEmpty)
        await agent.service.stop()
    }

    @Test(arguments: ["account=%0A", "since=yesterday", "limit=0", "limit=100001", "limit=x"])
    func refused(field: String) async throws {
        let agent = try await AgentFixture.make()
        let answer = await agent.answer("GET", "/v1/log?" + field)
        #expect(answer.status == 400)
        let failure = try WireJSON.decode(ErrorDocument.self, from: answer.body).error
        #expect(failure.facts["field"] == String(field.prefix { $0 != "=" }))
        await agent.service.stop()
    }

    private static func document(
        _ agent: AgentFixture,
        _ fields: String
    ) async throws -> LogDocument {
        let answer = await agent.answer("GET", "/v1/log" + fields)
        #expect(answer.status == 200)
        return try WireJSON.decode(LogDocument.self, from: answer.body)
    }
}
