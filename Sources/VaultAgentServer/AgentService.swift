internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultKit
internal import VaultStore

/// What the agent does, behind its routes and its life cycle.
final class AgentService: Sendable {
    let vault: Vault
    let transport: any HTTPTransport
    let log: AgentLog
    let signIns: SignIns
    /// Gives the reason once a client asks the agent to stop, also one that asked before anybody
    /// listened here.
    let stopRequests: AsyncStream<String>
    private let stopRequest: AsyncStream<String>.Continuation
    private let lastRequest = Locked(Uptime.seconds())
    private let scheduler: Task<Void, any Error>
    private let recorder: Task<Void, Never>

    init(vault: Vault, transport: any HTTPTransport, log: AgentLog) {
        self.vault = vault
        self.transport = transport
        self.log = log
        signIns = SignIns(vault: vault, transport: transport)
        (stopRequests, stopRequest) = AsyncStream.makeStream()
        // Both are awaited in `stop`.
        let events = vault.events
        recorder = Task {
            for await event in events { log.write(event) }
        }
        scheduler = Task { try await vault.runScheduler() }
    }

    /// Notes that a client is there.
    func touch() {
        lastRequest.withLock { $0 = Uptime.seconds() }
    }

    /// Seconds since a client was there.
    var idleSeconds: Double {
        Uptime.seconds() - lastRequest.withLock { $0 }
    }

    /// Whether an account has a refresh to come, or a sign-in is under way.
    var isNeeded: Bool {
        // A store that cannot be read now is no reason to leave.
        signIns.areWaiting || ((try? vault.hasRefreshToCome()) ?? true)
    }

    func requestStop(_ reason: String) {
        stopRequest.yield(reason)
    }

    /// Stores what is in flight and ends.
    func stop() async {
        await signIns.stop()
        scheduler.cancel()
        _ = try? await scheduler.value
        await vault.close()
        await recorder.value
    }
}
