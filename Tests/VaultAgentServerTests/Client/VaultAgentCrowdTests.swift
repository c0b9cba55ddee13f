import OAuth
import Platform
import Testing
import VaultAgentClient
import VaultCrypto
import VaultKit
import VaultTesting

@testable import VaultAgentServer

/// Many callers of one program at once.
@Suite(.timeLimit(.minutes(1))) struct VaultAgentCrowdTests {
    /// The tokens of the requests that were sent.
    private final class Sent: Sendable {
        private let state = Locked<[String]>([])

        var tokens: [String] { state.withLock { $0 } }

        func note(_ token: String) {
            state.withLock { $0.append(token) }
        }
    }

    @Test func anAccountWhoseRefreshHangsDelaysNoOther() async throws {
        try await ServedAgent.use { agent in
            let names = ["a", "b", "c", "d"] as [AccountName]
            for name in ["slow"] + names { try await agent.add(name) }
            agent.server.gate.shut()
            agent.grantNext("slow-2")
            // More of them than calls run at a time.
            let stalled = (0..<100).map { _ in
                Task { try await agent.client.accessToken(for: "slow", newerThan: 1).text }
            }
            #expect(await eventually { agent.server.exchanges.count == 1 })
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<200 {
                    let name = names[number % names.count]
                    group.addTask { try await agent.client.accessToken(for: name).text }
                }
                return try await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(tokens == ["a-1": 50, "b-1": 50, "c-1": 50, "d-1": 50])
            agent.server.gate.open()
            for task in stalled { #expect(try await task.value == "slow-2") }
            #expect(agent.server.exchanges.count == 1)
        }
    }

    @Test("a cancelled call ends at once, and the refresh goes on")
    func cancelled() async throws {
        try await ServedAgent.use { agent in
            try await agent.add("work")
            agent.server.gate.shut()
            agent.grantNext("work-2")
            let call = Task { try await agent.client.accessToken(for: "work", newerThan: 1) }
            #expect(await eventually { agent.server.exchanges.count == 1 })
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            agent.server.gate.open()
            let token = try await agent.client.accessToken(for: "work", newerThan: 1)
            #expect(token.text == "work-2" && agent.server.exchanges.count == 1)
        }
    }

    @Test("a task that is cancelled already asks nothing")
    func cancelledBefore() async throws {
        try await ServedAgent.use { agent in
            try await agent.add("work")
            let call = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await agent.client.accessToken(for: "work", newerThan: 1)
            }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(agent.server.exchanges.isEmpty)
        }
    }

    @Test("rejections that come together, and late ones, cost one refresh")
    func authorized() async throws {
        try await ServedAgent.use { agent in
            try await agent.add("work")
            agent.grantNext("work-2")
            let sent = Sent()
            let answers = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await agent.client.authorized(as: "work") { token in
                            sent.note(token.text)
                            return token.generation == 1
                                ? .unauthorized("401") : .finished("200")
                        }
                    }
                }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(answers == Array(repeating: "200", count: 20))
            #expect(agent.server.exchanges.count == 1)
            let tokens = sent.tokens
            #expect(tokens.filter { $0 == "work-2" }.count == 20)
            #expect(Set(tokens) == ["work-1", "work-2"])
        }
    }

    @Test("of a rejection after which there is no other token, the reason is thrown")
    func deadGrant() async throws {
        try await ServedAgent.use { agent in
            try await agent.add("work")
            agent.server.answerNext(400, #"{"error":"invalid_grant"}"#)
            let sent = Sent()
            let error = await vaultError {
                try await agent.client.authorized(as: "work") { token in
                    sent.note(token.text)
                    return .unauthorized("401")
                }
            }
            #expect(error == VaultError(.signInNeeded))
            #expect(sent.tokens == ["work-1"])
        }
    }
}
