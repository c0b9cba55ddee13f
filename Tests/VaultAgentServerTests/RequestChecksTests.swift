import Platform
import Testing
import VaultAgentClient
import VaultHTTPServer
import VaultKit

@testable import VaultAgentServer

/// What is turned away before anything is done.
@Suite struct RequestChecksTests {
    private func failure(_ answer: HTTPServerResponse) throws -> ErrorDocument.Failure {
        try WireJSON.decode(ErrorDocument.self, from: answer.body).error
    }

    @Test(
        "knows nothing else",
        arguments: [
            ("GET", "/", 404, "path"), ("GET", "/v1/accounts/../status", 404, "path"),
            ("GET", "/v1/accounts/a%00/token", 404, "path"),
            ("GET", "/v1/" + String(repeating: "a", count: 10 << 10), 404, "path"),
            ("PUT", "/v1/accounts", 405, "method"), ("OPTIONS", "/v1/status", 405, "method"),
            ("GET", "/v1/status?x=1", 400, "x"), ("GET", "/v1/accounts?tag=a&tags=b", 400, "tags"),
            ("GET", "/v1/accounts/a/token?min_valid=5", 400, "min_valid"),
            ("GET", "/v1/status?canary%20access", 400, "?"),
            ("GET", "/v1/events?after=-1", 400, "after"),
            ("GET", "/v1/events?after=x", 400, "after"),
            ("GET", "/v1/events?after=1&after=2", 400, "after"),
            ("GET", "/v1/accounts/a/token?deadline=1&scope=a&scope=b&deadline=9", 400, "deadline"),
        ]
    )
    func unknown(method: String, target: String, status: Int, field: String) async throws {
        let agent = try await AgentFixture.make()
        let answer = await agent.answer(method, target)
        #expect(answer.status == status)
        let failure = try failure(answer)
        #expect(failure.code == "invalid_input" && failure.facts["field"] == field)
        await agent.service.stop()
    }

    @Test func anotherMethodIsToldWhichThereAre() async throws {
        let agent = try await AgentFixture.make()
        let answer = await agent.answer("PUT", "/v1/accounts")
        #expect(answer.header("Allow") == "GET, HEAD, POST")
        await agent.service.stop()
    }

    @Test(
        "a request with this header gets",
        arguments: [
            ("Origin", "https://evil.example", 403), ("origin", "null", 403),
            ("Host", "evil.example", 200), ("Accept", "application/json", 200),
            ("Accept", "text/html, application/*;q=0.8", 200), ("Accept", "*/*", 200),
            ("Accept", "text/html", 406), ("Accept", "text/html;x=application/json", 406),
            ("Accept", "application/json;q=0", 406), ("Accept", "application/json; q=0.5", 200),
            ("accept", "", 406), ("Accept", "application/json;q=0, */*", 406),
            ("Accept", "text/html;\tq=0,\tapplication/json\t;q=0.1", 200),
            ("Accept", #"text/html;x=", application/json", */*;q=0"#, 406),
            ("Accept", "application/*;q=0, */*;q=0.1", 406), ("Accept", "*/*;q=0.000", 406),
        ]
    )
    func header(name: String, value: String, status: Int) async throws {
        let agent = try await AgentFixture.make()
        let answer = await agent.answer("GET", "/v1/status", headers: [(name, value)])
        #expect(answer.status == status)
        if status != 200 { #expect(try failure(answer).code == "invalid_input") }
        await agent.service.stop()
    }

    @Test(
        "a body of this type gets",
        arguments: [
            ("application/json", 200), ("Application/JSON; charset=UTF-8", 200),
            ("application/json;charset=\"utf-8\"", 200), ("application/json; charset=latin1", 415),
            ("text/plain", 415), ("application/x-www-form-urlencoded", 415), ("", 415),
            ("multipart/form-data; boundary=application/json", 415), (nil, 200),
        ]
    )
    func type(type: String?, status: Int) async throws {
        let agent = try await AgentFixture.make()
        let headers = type.map { [(name: "Content-Type", value: $0)] } ?? []
        let answer = await agent.answer("POST", "/v1/lock", headers: headers, body: "{}")
        #expect(answer.status == status)
        await agent.service.stop()
    }

    @Test(
        "a command of version",
        arguments: [
            ("0.0.9", 200), (VaultVersion.current, 200), ("0.10.0", 426), ("1", 426), ("x", 200),
            ("", 200), ("1.0.0-rc.1", 426),
        ]
    )
    func version(version: String, status: Int) async throws {
        let agent = try await AgentFixture.make()
        let headers = [(name: "vault-version", value: version)]
        let answer = await agent.answer("POST", "/v1/lock", headers: headers)
        #expect(answer.status == status)
        if status == 426 {
            let failure = try failure(answer)
            #expect(failure.code == "busy")
            #expect(
                failure.facts == ["reason": "agent_version", "version": VaultVersion.current]
            )
            #expect(agent.service.vault.lockReason == nil)
        }
        await agent.service.stop()
    }

    @Test func anOriginIsRefusedBeforeItLearnsWhatThereIs() async throws {
        let agent = try await AgentFixture.make()
        let headers = [(name: "Origin", value: "https://evil.example")]
        for (method, target) in [("GET", "/nothing"), ("PUT", "/v1/status"), ("POST", "/v1/stop")] {
            #expect(await agent.answer(method, target, headers: headers).status == 403)
        }
        await agent.service.stop()
    }
}
