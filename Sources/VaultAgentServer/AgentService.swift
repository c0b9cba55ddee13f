internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultKit
internal import VaultStore

/// What the agent does, behind its routes and its life cycle.
final class AgentService: Sendable {
    let vault: AgentVault
    /// What was counted of the work so far.
    var metrics: AgentMetrics { vault.metrics }
    /// Who is told of events now.
    let eventSeats = EventSeats()
    private let hooks: EventHooks
    private let current = Locked(VaultConfiguration())
    /// Gives the reason once a client asks the agent to stop, also one that asked before anybody
    /// listened here.
    let stopRequests: AsyncStream<String>
    private let stopRequest: AsyncStream<String>.Continuation
    private let lastRequest = Locked(Uptime.seconds())

    init(
        _ location: VaultLocation,
        transport: any HTTPTransport,
        log: AgentLog,
        clock: any VaultClock = SystemClock()
    ) {
        hooks = EventHooks(location, log: log)
        vault = AgentVault(location, transport, log, clock, hooks)
        (stopRequests, stopRequest) = AsyncStream.makeStream()
    }

    /// What the person decided for this vault.
    var configuration: VaultConfiguration { current.withLock { $0 } }

    /// Goes by another configuration from now on.
    func configure(_ configuration: VaultConfiguration) {
        current.withLock { $0 = configuration }
        hooks.use(configuration.onEvent)
    }

    /// Notes that a client is there.
    func touch() {
        lastRequest.withLock { $0 = Uptime.seconds() }
    }

    /// Seconds since a client was there.
    var idleSeconds: Double {
        Uptime.seconds() - lastRequest.withLock { $0 }
    }

    func requestStop(_ reason: String) {
        stopRequest.yield(reason)
    }

    /// Ends the waits of commands for the outcome of their sign-ins.
    func cancelSignIns() {
        try? vault.signIns().cancelAll()
    }

    /// Stores what is in flight and ends.
    ///
    /// A pair that the store does not take is waited for longer than a minute while this is not
    /// forced.
    func stop(isForced: @Sendable () -> Bool = { true }) async {
        await vault.end(isForced: isForced)
        await hooks.finish()
    }
}
