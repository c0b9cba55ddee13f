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
    let signals: StopSignalCount
    let isOnDemand: Bool
    let socket: SocketFile

    /// Waits for the end; why it came.
    func last() async -> String {
        await withTaskGroup(of: String?.self) { group in
            group.addTask {
                for await signal in signals.first { return "signal \(signal)" }
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

    private func lookAround() async -> String? {
        let database = service.vault.location.database
        let clock = SystemClock()
        while (try? await clock.sleep(seconds: Self.lookEvery)) != nil {
            if FileSystem.isMissing(database) { return "the vault is gone" }
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

/// The stop signals that came, taken on a thread of their own: the first is a wish, one more an
/// order.
final class StopSignalCount: Sendable {
    /// The number of the first one.
    let first: AsyncStream<Int32>
    private let count = Locked(0)

    init() {
        let (first, continuation) = AsyncStream<Int32>.makeStream()
        self.first = first
        do {
            try DedicatedThread.start { [self] in
                while let signal = try? StopSignals.wait() {
                    count.withLock { $0 += 1 }
                    continuation.yield(signal)
                }
                continuation.finish()
            }
        } catch {
            continuation.finish()
        }
    }

    /// How many came.
    var value: Int { count.withLock { $0 } }
}

extension FileSystem {
    /// Whether there is certainly nothing at a path.
    ///
    /// One that cannot be looked at for the moment says nothing.
    static func isMissing(_ path: String) -> Bool {
        do {
            _ = try status(of: path)
            return false
        } catch {
            return error == .notFound
        }
    }
}
