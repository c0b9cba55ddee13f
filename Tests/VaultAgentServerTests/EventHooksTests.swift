import FoundationEssentials
import Glibc
import Platform
import Testing
import VaultHTTPServer
import VaultKit
import VaultStore

@testable import VaultAgentServer

/// The person's program, run for what needs a person.
@Suite struct EventHooksTests {
    private static let refused = #"{"error":"invalid_grant"}"#

    /// A Python program that keeps what it reads, and how it was started.
    private static func witness(_ directory: String) -> String {
        """
        #!/usr/bin/env python3
        import json, os, sys
        told = json.load(sys.stdin)
        told["variables"] = sorted(name for name in os.environ if name != "LC_CTYPE")
        told["descriptors"] = sorted(os.listdir("/proc/self/fd"))[:3]
        told["output"] = os.readlink("/proc/self/fd/1") + os.readlink("/proc/self/fd/2")
        told["leads"] = os.getsid(0) == os.getpid()
        with open("\(directory)/told", "a") as file:
            file.write(json.dumps(told, sort_keys=True) + "\\n")
        """
    }

    @Test func aPythonProgramIsToldOnceOfEachDeadGrantAndOfItsRecovery() async throws {
        let server = ScriptedServer()
        let agent = try await AgentFixture.make(server)
        _ = await agent.answer("POST", "/v1/accounts", body: Addition().json)
        let program = try install(Self.witness(agent.directory.path), agent)
        setenv("VAULT_TEST_CANARY", "canary-secret", 1)
        let hooks = try listen(agent, program)
        server.answerNext(400, Self.refused)
        _ = await agent.answer("POST", "/v1/accounts/work/refresh")
        #expect(try await eventually { try told(agent).count == 1 })
        await hooks.finish()

        // Another life of the agent does not tell it again, but what happens then.
        let again = try listen(agent, program)
        let signIn = Addition(tokenResponse: Self.other).json
        #expect(await agent.answer("DELETE", "/v1/accounts/work").status == 204)
        _ = await agent.answer("POST", "/v1/accounts", body: signIn)
        server.answerNext(401, #"{"error":"invalid_client"}"#)
        _ = await agent.answer("POST", "/v1/accounts/work/refresh")
        #expect(try await eventually { try told(agent).count == 2 })
        _ = await agent.answer("POST", "/v1/accounts/work/refresh")
        #expect(try await eventually { try told(agent).count == 3 })
        await again.finish()

        let all = try told(agent)
        #expect(all.map(\.event) == ["sign_in_needed", "client_refused", "recovered"])
        for one in all {
            #expect(one.account == "work" && one.vault == agent.location.directory && one.leads)
            #expect(one.variables.contains("VAULT_HOME") && one.variables.contains("PATH"))
            #expect(!one.variables.contains("VAULT_TEST_CANARY"))
            #expect(one.output == "/dev/null/dev/null")
        }
        let words = try text("\(agent.directory.path)/told")
        for canary in AgentFixture.canaries { #expect(!words.contains(canary)) }
        await agent.service.stop()
    }

    /// Row I04.
    @Test func i04OneThatHangsIsEndedAndHoldsNobodyUp() async throws {
        let agent = try await AgentFixture.make()
        for number in 1...6 {
            let response =
                #"{"access_token":"a\#(number)","refresh_token":"r\#(number)","expires_in":3600}"#
            let addition = Addition(name: "a\(number)", tokenResponse: response).json
            #expect(await agent.answer("POST", "/v1/accounts", body: addition).status == 201)
        }
        let program = try install("#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 600; done\n", agent)
        let hooks = try listen(agent, program, patience: 300)
        for number in 1...6 {
            agent.server.answerNext(400, Self.refused)
            let before = ContinuousClock.now
            _ = await agent.answer("POST", "/v1/accounts/a\(number)/refresh")
            #expect(before.duration(to: .now) < .seconds(5))
        }
        // More than run at a time: each gets its turn.
        #expect(
            try await eventually { try agent.log().split(separator: "hook_killed").count == 7 }
        )
        await hooks.finish()
        await agent.service.stop()
    }

    @Test func whatHadNoTurnComesAfterARestart() async throws {
        let agent = try await AgentFixture.make()
        for number in 1...6 {
            let response =
                #"{"access_token":"a\#(number)","refresh_token":"r\#(number)","expires_in":3600}"#
            let addition = Addition(name: "a\(number)", tokenResponse: response).json
            _ = await agent.answer("POST", "/v1/accounts", body: addition)
            agent.server.answerNext(400, Self.refused)
            _ = await agent.answer("POST", "/v1/accounts/a\(number)/refresh")
        }
        let hanging = try install("#!/bin/sh\nsleep 600\n", agent)
        let hooks = try listen(agent, hanging, patience: 60_000)
        #expect(
            await eventually {
                HookProgress(location: agent.location).read().told.count == HookProcesses.limit
            }
        )
        await hooks.finish()
        try FileSystem.remove(hanging)
        let program = try install(Self.witness(agent.directory.path), agent)
        let again = try listen(agent, program)
        #expect(try await eventually { try told(agent).count == 2 })
        await again.finish()
        let accounts = Set(try told(agent).map(\.account))
        #expect(accounts.count == 2)
        await agent.service.stop()
    }

    @Test func oneThatOthersCanChangeIsNotRun() async throws {
        let agent = try await AgentFixture.make()
        _ = await agent.answer("POST", "/v1/accounts", body: Addition().json)
        let program = try install(Self.witness(agent.directory.path), agent)
        let hooks = try listen(agent, program)
        chmod(program, 0o777)
        agent.server.answerNext(400, Self.refused)
        _ = await agent.answer("POST", "/v1/accounts/work/refresh")
        #expect(try await eventually { try agent.log().contains("hook_refused") })
        await hooks.finish()
        #expect(try told(agent).isEmpty)
        await agent.service.stop()
    }

    private static let other =
        #"{"access_token":"other-access","refresh_token":"other-refresh","expires_in":3600}"#

    private func listen(
        _ agent: AgentFixture,
        _ program: String,
        patience: Int32 = HookProcesses.patience
    ) throws -> EventHooks {
        let hooks = EventHooks(
            agent.location,
            log: try AgentLog(agent.location),
            program: program,
            processes: HookProcesses(patience: patience)
        )
        hooks.begin(try agent.vault)
        return hooks
    }

    private func install(_ text: String, _ agent: AgentFixture) throws -> String {
        let path = "\(agent.directory.path)/hook"
        try FileSystem.writeNew(path, Array(text.utf8).span)
        chmod(path, 0o700)
        return path
    }

    private struct Told: Decodable {
        let event: String
        let account: String
        let vault: String
        let variables: [String]
        let output: String
        let leads: Bool
    }

    private func told(_ agent: AgentFixture) throws -> [Told] {
        let path = "\(agent.directory.path)/told"
        guard FileSystem.exists(path) else { return [] }
        return try text(path).split(separator: "\n").map { line in
            try JSONDecoder().decode(Told.self, from: Data(line.utf8))
        }
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try FileSystem.read(path, limit: 1 << 20), as: UTF8.self)
    }
}
