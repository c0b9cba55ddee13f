import Glibc
import Platform
import Testing
import VaultTesting

@testable import VaultAgentClient

/// Calls of an agent that takes connections and never answers.
@Suite(.timeLimit(.minutes(1))) struct StoppedAgentTests {
    @Test func itIsGivenUpASecondAfterTheDeadline() async throws {
        let vault = try PlantedVault()
        let listener = try vault.stoppedAgent()
        let call = Task {
            await vaultError { try await vault.client.accessToken(for: "work", deadline: 5) }
        }
        let peer = try #require(await Self.connection(listener))
        defer { Descriptor.close(peer) }
        try await vault.clock.waitForSleepers(1)
        #expect(vault.clock.secondsUntilNextWake == 6)
        vault.clock.advance(by: 6)
        let error = await call.value
        #expect(error == VaultError(.busy) && error?.account == "work")
        #expect(error?.facts[.reason] == "agent_silent" && error?.isTransient == true)
        #expect(await eventually { Self.hasEnded(peer) })
    }

    @Test("a deadline that is none ends the call all the same", arguments: [-1, 1e300, .infinity])
    func deadline(seconds: Double) async throws {
        let vault = try PlantedVault()
        let listener = try vault.stoppedAgent()
        let call = Task {
            await vaultError { try await vault.client.refresh("work", deadline: seconds) }
        }
        try await vault.clock.waitForSleepers(1)
        vault.clock.advance(by: seconds < 0 ? 1 : 86_401)
        #expect(await call.value == VaultError(.busy))
        listener.close()
    }

    @Test func aCancelledCallEndsAtOnceAndHangsUp() async throws {
        let vault = try PlantedVault()
        let listener = try vault.stoppedAgent()
        let call = Task { try await vault.client.accounts() }
        let peer = try #require(await Self.connection(listener))
        defer { Descriptor.close(peer) }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(await eventually { Self.hasEnded(peer) })
        #expect(vault.clock.sleeperCount == 0)
    }

    @Test("where no more connections fit, calls end at their deadlines or when they are cancelled")
    func noRoom() async throws {
        let vault = try PlantedVault()
        try await vault.withFullAgent {
            let late = Task {
                await vaultError { try await vault.client.accessToken(for: "work", deadline: 5) }
            }
            try await vault.clock.waitForSleepers(1)
            let cancelled = (1..<AgentThreads.share).map { _ in
                Task { try await vault.client.accessToken(for: "work") }
            }
            try await vault.clock.waitForSleepers(AgentThreads.share)
            vault.clock.advance(by: 6)
            let error = await late.value
            #expect(error == VaultError(.busy) && error?.facts[.reason] == "agent_silent")
            for call in cancelled { call.cancel() }
            for call in cancelled {
                await #expect(throws: CancellationError.self) { try await call.value }
            }
            // None of them holds its thread any more: an agent in the place of that one is asked.
            #expect(unlink(vault.directory.path + "/agent.sock") == 0)
            let listener = try vault.stoppedAgent()
            let next = Task { try await vault.client.accessToken(for: "work") }
            // Those that were given up may come as far as a connection, and say nothing.
            let peers = Locked<[Int32]>([])
            defer { peers.withLock { $0.forEach { Descriptor.close($0) } } }
            let isAsked = await eventually {
                while let peer = try? listener.accept() { peers.withLock { $0.append(peer) } }
                return peers.withLock { $0.contains { Self.hasAsked($0) } }
            }
            #expect(isAsked)
            next.cancel()
            await #expect(throws: CancellationError.self) { try await next.value }
        }
    }

    @Test("where no more connections fit, a command is told so in time")
    func noRoomInTime() async throws {
        let vault = try PlantedVault()
        try await vault.withFullAgent {
            let connection = AgentConnection(
                directory: vault.directory.path,
                socketName: "agent.sock"
            )
            #expect(throws: AgentConnection.Failure.silent) {
                try connection.send("GET", "/v1/status", timeout: 1)
            }
            let interruption = Interruption()
            interruption.raise()
            #expect(throws: AgentConnection.Failure.silent) {
                try connection.send("GET", "/v1/status", timeout: 0, interruption: interruption)
            }
        }
    }

    @Test("no more calls run than may, and those that wait can be given up")
    func limits() async throws {
        let vault = try PlantedVault()
        let listener = try vault.stoppedAgent()
        let names = try (0..<AgentThreads.limit + 6).map { number in
            try #require(AccountName("account-\(number)"))
        }
        let calls = names.map { name in
            Task { try await vault.client.accessToken(for: name) }
        }
        let peers = Locked<[Int32]>([])
        defer { peers.withLock { $0.forEach { Descriptor.close($0) } } }
        let isFull = await eventually {
            while let peer = try? listener.accept() { peers.withLock { $0.append(peer) } }
            return peers.withLock { $0.count } == AgentThreads.limit
        }
        #expect(isFull)
        try await vault.clock.waitForSleepers(names.count)
        try await Task.sleep(for: .milliseconds(30))
        #expect(try listener.accept() == nil)
        for call in calls { call.cancel() }
        for call in calls {
            await #expect(throws: CancellationError.self) { try await call.value }
        }
    }

    @Test("an account has no more than its share of the calls")
    func share() async throws {
        let vault = try PlantedVault()
        let listener = try vault.stoppedAgent()
        let calls = (0..<AgentThreads.share + 4).map { _ in
            Task { try await vault.client.accessToken(for: "slow") }
        }
        try await vault.clock.waitForSleepers(calls.count)
        let other = Task { try await vault.client.accessToken(for: "other") }
        let peers = Locked<[Int32]>([])
        defer { peers.withLock { $0.forEach { Descriptor.close($0) } } }
        let isFull = await eventually {
            while let peer = try? listener.accept() { peers.withLock { $0.append(peer) } }
            return peers.withLock { $0.count } == AgentThreads.share + 1
        }
        #expect(isFull)
        for call in calls + [other] { call.cancel() }
        for call in calls + [other] {
            await #expect(throws: CancellationError.self) { try await call.value }
        }
    }

    /// The next connection, once it is there.
    private static func connection(_ listener: ListeningSocket) async -> Int32? {
        let peer = Locked<Int32?>(nil)
        _ = await eventually {
            let next = try? listener.accept()
            peer.withLock { $0 = next }
            return next != nil
        }
        return peer.withLock { $0 }
    }

    /// Whether the other side has sent anything.
    private static func hasAsked(_ peer: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(peer, &byte, 1, Int32(MSG_PEEK)) > 0
    }

    /// Whether the other side has hung up; what it sent before is passed over.
    private static func hasEnded(_ peer: Int32) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(peer, &bytes, bytes.count)
            if count <= 0 { return count == 0 }
        }
    }
}
