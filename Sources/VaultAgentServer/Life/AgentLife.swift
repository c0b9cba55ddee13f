internal import FoundationEssentials
internal import Platform
internal import VaultKit
internal import VaultStore

/// When the agent's life ends: a signal, a client's request, its directory or its socket gone, or
/// nobody left who needs it.
struct AgentLife: Sendable {
    /// Seconds without a client after which an agent started on demand leaves.
    private static let idleLimit = 900.0
    /// Seconds between looks at the directory and the accounts, where the kernel tells of changes
    /// and where it does not.
    private static let lookEvery = (told: 30.0, untold: 2.0)
    /// Seconds from one change to the look at the next: a burst is looked at once.
    private static let settling = 0.5

    let service: AgentService
    let signals: AgentSignals
    let isOnDemand: Bool
    let socket: SocketFile

    /// Waits for the end; why it came.
    func last() async -> String {
        let changes = try? DirectoryWatch.changes(
            in: service.vault.location.directory,
            of: [VaultLocation.databaseName, VaultLocation.socketName]
        )
        return await withTaskGroup(of: String?.self) { group in
            group.addTask {
                for await signal in signals.wishes { return "signal \(signal)" }
                return nil
            }
            group.addTask {
                for await reason in service.stopRequests { return reason }
                return nil
            }
            group.addTask {
                await lookAround(changes == nil ? Self.lookEvery.untold : Self.lookEvery.told)
            }
            if let changes { group.addTask { await look(after: changes) } }
            for await reason in group {
                guard let reason else { continue }
                group.cancelAll()
                return reason
            }
            return "ended"
        }
    }

    /// What the kernel does not tell of: a quarter of an hour in which nobody came, for one.
    private func lookAround(_ interval: Double) async -> String? {
        let clock = SystemClock()
        repeat {
            if let reason = await look() { return reason }
            // Hundreds of refreshes at a time leave holes.
            Memory.giveBack()
        } while (try? await clock.sleep(seconds: interval)) != nil
        return nil
    }

    private func look(after changes: AsyncStream<Void>) async -> String? {
        let clock = SystemClock()
        for await _ in changes {
            if let reason = await look() { return reason }
            try? await clock.sleep(seconds: Self.settling)
        }
        return await look()
    }

    private func look() async -> String? {
        if FileSystem.isMissing(service.vault.location.database) { return "the vault is gone" }
        // Nobody finds it any more, and it would keep the next agent out.
        if socket.isGone { return "the socket is gone" }
        if isOnDemand, service.idleSeconds > Self.idleLimit, !service.vault.isNeeded {
            return "idle"
        }
        await service.vault.checkKeys()
        return nil
    }
}
