import OAuth
import Platform
import Testing
import VaultHTTPServer
import VaultKit

@testable import VaultAgentServer

@Suite struct MetricsTests {
    @Test func tellsWhatWasDone() async throws {
        let agent = try await AgentFixture.make()
        _ = await agent.answer("POST", "/v1/accounts", body: Addition().json)
        _ = await agent.answer("GET", "/v1/accounts/work/token")
        _ = await agent.answer("GET", "/v1/accounts/nobody/token")
        _ = await agent.answer("POST", "/v1/accounts/work/refresh")
        agent.server.answerNext(400, #"{"error":"invalid_grant"}"#)
        _ = await agent.answer("POST", "/v1/accounts/work/refresh")
        let wanted = [
            #"vault_agent_info{version="\#(VaultVersion.current)"} 1"#,
            "vault_agent_locked 0",
            #"vault_token_requests_total{outcome="ok"} 1"#,
            #"vault_token_requests_total{outcome="no_such_account"} 1"#,
            #"vault_refreshes_total{result="refreshed"} 1"#,
            #"vault_refreshes_total{result="sign_in_needed"} 1"#,
            #"vault_refreshes_total{result="adopted"} 0"#,
            "vault_refreshes_running 0",
            #"vault_accounts{state="active"} 0"#,
            #"vault_accounts{state="sign_in_needed"} 1"#,
            #"vault_agent_answers_total{status="404"} 1"#,
            #"vault_refresh_lateness_seconds_bucket{le="+Inf"} 0"#,
        ]
        // What the vault tells of is counted as it comes.
        let isTold = await eventually {
            let text = await agent.answer("GET", "/metrics").text
            return wanted.allSatisfy { text.contains($0 + "\n") }
        }
        let answer = await agent.answer("GET", "/metrics")
        #expect(isTold, "\(answer.text)")
        #expect(answer.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
        #expect(!answer.text.contains("work") && !answer.text.contains("canary"))
        await agent.service.stop()
    }

    @Test func aLockedAgentHasSome() async throws {
        let agent = try await AgentFixture.make()
        _ = await agent.answer("POST", "/v1/lock")
        let answer = await agent.answer("GET", "/metrics")
        #expect(answer.status == 200 && answer.text.contains("vault_agent_locked 1\n"))
        #expect(!answer.text.contains("vault_accounts"))
        await agent.service.stop()
    }

    /// Every line is as the text format 0.0.4 has it, and every value has its name said before.
    @Test func everyLineIsOneThatPrometheusReads() async throws {
        let agent = try await AgentFixture.make()
        let text = await agent.answer("GET", "/metrics").text
        var types: [String: String] = [:]
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# HELP ") { continue }
            if let type = line.wholeMatch(of: /# TYPE (\w+) (counter|gauge|histogram)/) {
                #expect(types.updateValue(String(type.2), forKey: String(type.1)) == nil)
                continue
            }
            let value = try #require(
                line.wholeMatch(of: /(\w+)(\{\w+="[^"]*"\})? -?[0-9.e+-]+/),
                "\(line)"
            )
            let name = String(value.1)
            let histogram = name.replacing(/_(bucket|sum|count)$/, with: "")
            #expect(types[name] != nil || types[histogram] == "histogram", "\(line)")
        }
        #expect(text.hasSuffix("\n") && types.count == 10 + 1)
        await agent.service.stop()
    }

    @Test func latenessIsCountedInSteps() {
        let lateness = LatenessCounts()
        for seconds in [-5, 0, 0.1, 0.2, 60, 4000, .infinity, .nan] { lateness.note(seconds) }
        #expect(lateness.counts.steps == [3, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1])
        var text = MetricsText()
        text.add("x", "help", steps: [0.1, 1], counts: [1, 2, 3], sum: 4.5)
        #expect(
            text.text == """
                # HELP x help
                # TYPE x histogram
                x_bucket{le="0.1"} 1
                x_bucket{le="1"} 3
                x_bucket{le="+Inf"} 6
                x_sum 4.5
                x_count 6

                """
        )
    }

    @Test func aLabelIsEscaped() {
        var text = MetricsText()
        text.add("x", .gauge, "help", label: "l", ["a\"b\\c\nd": 1])
        #expect(text.text.hasSuffix("x{l=\"a\\\"b\\\\c\\nd\"} 1\n"))
    }
}
