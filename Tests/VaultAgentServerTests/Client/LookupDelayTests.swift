import Glibc
import OAuth
import Platform
import Testing
import VaultAgentClient
import VaultCrypto
import VaultKit
import VaultSQLite
import VaultTesting

@testable import VaultAgentServer

/// While one account's refresh takes its time, a token that is still good is there at once.
@Suite(.timeLimit(.minutes(1))) struct LookupDelayTests {
    private static let count = 1000
    /// How much longer a busy machine may take, and a build that nobody optimized.
    private static let patience = getenv("CI") == nil ? 10.0 : 40.0

    /// Seconds that 99 of 100 look-ups through the socket stay under.
    private static func usualDelay(_ agent: ServedAgent, _ names: [String]) async throws -> Double {
        let directory = agent.fixture.location.directory
        return try await withCheckedThrowingContinuation { continuation in
            do {
                // As the command asks: one after the other, by blocking calls.
                try DedicatedThread.start {
                    let result = Result {
                        let connection = AgentConnection(
                            directory: directory,
                            socketName: "agent.sock"
                        )
                        var times: [Double] = []
                        for number in 0..<count {
                            let name = names[number % names.count]
                            let start = Uptime.seconds()
                            let answer = try connection.send("GET", "/v1/accounts/\(name)/token")
                            times.append(Uptime.seconds() - start)
                            #expect(answer.status == 200)
                        }
                        return times.sorted()[count * 99 / 100]
                    }
                    continuation.resume(with: result)
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    @Test("look-ups wait for no refresh, nor for who writes", arguments: [false, true])
    func delay(holdingTheWriter: Bool) async throws {
        try await ServedAgent.use { agent in
            for name in ["slow", "other"] as [AccountName] { try await agent.add(name) }
            agent.server.gate.shut()
            agent.grantNext("slow-2")
            let vault = try agent.vault
            // The account's lock is held until the answer is there and stored.
            let refreshing = Task { try await vault.refresh("slow").generation }
            #expect(await eventually { agent.server.exchanges.count == 1 })
            let writer = try Writer(agent.fixture.location.database, holding: holdingTheWriter)
            let usual = try await Self.usualDelay(agent, ["slow", "other"])
            print("look-ups beside a refresh, writer held \(holdingTheWriter): p99 \(usual) s")
            #expect(usual < 0.005 * Self.patience)
            try writer.letGo()
            #expect(agent.server.exchanges.count == 1)
            agent.server.gate.open()
            #expect(try await refreshing.value == 2)
        }
    }

    /// Another process in the middle of a change of the file.
    private struct Writer {
        private let connection: Connection?

        init(_ path: String, holding: Bool) throws {
            connection = holding ? try Connection(path: path, mode: .readWrite) : nil
            try connection?.execute("BEGIN IMMEDIATE")
        }

        func letGo() throws {
            try connection?.execute("ROLLBACK")
        }
    }
}
