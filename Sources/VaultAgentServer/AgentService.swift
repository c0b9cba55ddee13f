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
    private let state: Locked<State>
    private let scheduler: Task<Void, any Error>
    private let recorder: Task<Void, Never>

    private struct State {
        var lastRequest: Double
        var stop: AsyncStream<String>.Continuation?
    }

    init(vault: Vault, transport: any HTTPTransport, log: AgentLog) {
        self.vault = vault
        self.transport = transport
        self.log = log
        signIns = SignIns(vault: vault, transport: transport)
        state = Locked(State(lastRequest: Uptime.seconds()))
        // Both are awaited in `stop`.
        scheduler = Task { try await vault.runScheduler() }
        let events = vault.events
        recorder = Task {
            for await event in events { log.write(event) }
        }
    }

    /// Notes that a client is there.
    func touch() {
        state.withLock { $0.lastRequest = Uptime.seconds() }
    }

    /// Seconds since a client was there.
    var idleSeconds: Double {
        Uptime.seconds() - state.withLock { $0.lastRequest }
    }

    /// Whether an account has a refresh to come, or a sign-in is under way.
    var isNeeded: Bool {
        // A store that cannot be read now is no reason to leave.
        signIns.areWaiting || ((try? vault.hasRefreshToCome()) ?? true)
    }

    /// Gives the reason once a client asks the agent to stop.
    func stopRequests() -> AsyncStream<String> {
        AsyncStream { continuation in
            state.withLock { $0.stop = continuation }
        }
    }

    func requestStop(_ reason: String) {
        let continuation = state.withLock { $0.stop }
        continuation?.yield(reason)
    }

    /// Stores what is in flight and ends.
    func stop() async {
        signIns.cancelAll()
        scheduler.cancel()
        _ = try? await scheduler.value
        await vault.close()
        await recorder.value
    }
}
