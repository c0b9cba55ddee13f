internal import FoundationEssentials
internal import Platform
internal import VaultKit
internal import VaultStore

/// When the agent's life ends: a signal, a client's request, its directory or its socket gone, or
/// nobody left who needs it.
struct AgentLife: Sendable {
    /// Seconds without a client after which an agent started on demand leaves.
    private static let idleLimit = 900.0
    /// Seconds between looks at the directory and the accounts.
    private static let lookEvery = 2.0

    let service: AgentService
    let isOnDemand: Bool
    let socket: SocketFile

    /// Waits for the end; why it came.
    func last() async -> String {
        await withTaskGroup(of: String?.self) { group in
            group.addTask {
                for await signal in Self.signals() { return "signal \(signal)" }
                return nil
            }
            group.addTask {
                for await reason in service.stopRequests { return reason }
                return nil
            }
            group.addTask { await lookAround() }
            for await reason in group {
                guard let reason else { continue }
                group.cancelAll()
                return reason
            }
            return "ended"
        }
    }

    /// The first stop signal, taken on a thread of its own.
    private static func signals() -> AsyncStream<Int32> {
        AsyncStream { continuation in
            do {
                try DedicatedThread.start {
                    if let signal = try? StopSignals.wait() { continuation.yield(signal) }
                    continuation.finish()
                }
            } catch {
                continuation.finish()
            }
        }
    }

    private func lookAround() async -> String? {
        let database = service.vault.location.database
        let clock = SystemClock()
        while (try? await clock.sleep(seconds: Self.lookEvery)) != nil {
            if !FileSystem.exists(database) { return "the vault is gone" }
            // Nobody finds it any more, and it would keep the next agent out.
            if socket.isGone { return "the socket is gone" }
            if isOnDemand, service.idleSeconds > Self.idleLimit, !service.vault.isNeeded {
                return "idle"
            }
            await service.vault.checkKeys()
        }
        return nil
    }
}

/// The file of the agent's socket, told apart from one that came in its place.
struct SocketFile: Sendable {
    private let path: String
    private let identity: FileStatus.Identity

    init(_ path: String) throws(SystemError) {
        self.path = path
        identity = try FileSystem.status(of: path).identity
    }

    /// A path that cannot be looked at for the moment says nothing.
    var isGone: Bool {
        do {
            return try FileSystem.status(of: path).identity != identity
        } catch {
            return error == .notFound
        }
    }

    /// Removes it, unless the path leads to another's by now.
    func remove() {
        if !isGone { try? FileSystem.remove(path) }
    }
}
