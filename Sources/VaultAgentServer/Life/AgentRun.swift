internal import Platform
internal import VaultHTTPServer
internal import VaultKit

/// An agent that serves, until it has stored what was in flight or was ordered to leave.
struct AgentRun: Sendable {
    /// Seconds for what ends by itself once a second signal has come.
    private static let lastGrace = 1.0

    let service: AgentService
    let server: HTTPServer
    let signals: AgentSignals
    let notifier: ServiceNotifier
    let socket: SocketFile
    let log: AgentLog

    /// The exit code.
    func toTheEnd(isOnDemand: Bool) async -> Int32 {
        let life = AgentLife(
            service: service,
            signals: signals,
            isOnDemand: isOnDemand,
            socket: socket
        )
        let reload = AgentReload(service: service, notifier: notifier, log: log)
        let background = Task { await reload.run(signals.reloads) }
        let watchdog = Task { await notifier.keepAlive() }
        let reason = await life.last()
        background.cancel()
        // Nothing says that it is ready once it said that it stops.
        await background.value
        let before = signals.value
        log.write("stop", ["reason": reason])
        notifier.stopping("storing what is in flight")
        let more = Task { await notifier.extendStopping() }
        let isDone = await drain(orderedAfter: before)
        more.cancel()
        watchdog.cancel()
        await more.value
        await watchdog.value
        return isDone ? 0 : AgentMain.interrupted
    }

    /// Stores what is in flight; false where one more signal did not let it come to that.
    private func drain(orderedAfter before: Int) async -> Bool {
        socket.remove()
        // Commands wait on the socket for the outcome of their sign-ins.
        service.cancelSignIns()
        let (ends, end) = AsyncStream<Bool>.makeStream()
        // Not awaited where there is an order: what it waits for may never come.
        Task {
            await server.stop()
            await service.stop { signals.value > before }
            end.yield(true)
        }
        let order = Task {
            for await count in signals.counts where count > before {
                log.write("stop_ordered")
                try? await SystemClock().sleep(seconds: Self.lastGrace)
                end.yield(false)
                return
            }
        }
        defer { order.cancel() }
        for await isDone in ends {
            if !isDone {
                for account in service.vault.unsavedAccounts {
                    log.write("pair_lost", ["account": account.text])
                }
            }
            return isDone
        }
        return false
    }
}
