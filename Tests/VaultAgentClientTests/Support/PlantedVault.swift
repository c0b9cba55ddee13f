import FoundationEssentials
import Glibc
import Platform
import VaultAgentClient
import VaultTesting

/// What looks like the directory of a vault, and somebody who asks its agent.
struct PlantedVault {
    let directory: TemporaryDirectory
    let clock = ManualClock()
    let client: VaultAgent

    init() throws {
        directory = try TemporaryDirectory()
        try Data().write(to: URL(filePath: directory.path + "/vault.db"))
        client = try VaultAgent(VaultLocation(directory: directory.path), clock: clock)
    }

    /// An agent that says this once.
    func agent(_ status: Int, _ body: String) throws -> PlantedAgent {
        try PlantedAgent(
            in: directory.path,
            answering: "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
    }

    /// Where an agent listens that never answers, as one that was stopped.
    func stoppedAgent() throws -> ListeningSocket {
        try ListeningSocket.unix(directory: directory.path, name: "agent.sock")
    }

    /// The same with no room for another connection; `body` runs while that is so.
    func withFullAgent<Result>(_ body: () async throws -> Result) async throws -> Result {
        let listener = try ListeningSocket.unix(
            directory: directory.path,
            name: "agent.sock",
            backlog: 0
        )
        defer { listener.close() }
        // One waits although none may (listen(2) and what Linux makes of it).
        let waiting = try Socket.connect(directory: directory.path, name: "agent.sock")
        defer { Descriptor.close(waiting) }
        return try await body()
    }
}

/// The error of a call that has to fail.
func vaultError(_ body: () async throws -> some Any) async -> VaultError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? VaultError
    }
}

/// Looks every few milliseconds whether something has come about, for twenty seconds at most.
func eventually(_ condition: () throws -> Bool) async rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < end {
        if try condition() { return true }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return false
}
