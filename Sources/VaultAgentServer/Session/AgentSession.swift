internal import OAuth
internal import Platform
internal import VaultKit
internal import VaultStore

/// An open vault and all that works on it, from one unlock to the next lock.
final class AgentSession: Sendable {
    let vault: Vault
    let signIns: SignIns
    /// Nobody but a person can bring the keys back.
    private let needsPerson: Bool
    private let scheduler: Task<Void, any Error>
    private let recorder: Task<Void, Never>
    private let backups: Task<Void, Never>

    init(
        _ vault: Vault,
        _ transport: any HTTPTransport,
        _ log: AgentLog,
        _ metrics: AgentMetrics,
        _ clock: any VaultClock,
        _ needsPerson: Bool
    ) {
        self.vault = vault
        self.needsPerson = needsPerson
        signIns = SignIns(vault: vault, transport: transport, clock: clock, log: log)
        // All three are awaited in `end`. What they do is the agent's own work, and not that of whoever
        // unlocked it.
        let events = vault.newEvents
        recorder = Task.detached {
            for await event in events {
                log.write(event)
                metrics.note(event)
            }
        }
        scheduler = Task.detached { try await vault.runScheduler() }
        backups = Task.detached { await DailyBackups(vault: vault, log: log, clock: clock).run() }
    }

    /// Whether an account has a refresh to come, a sign-in is under way, or going would take along
    /// keys that somebody typed or a pair that is nowhere else.
    var isNeeded: Bool {
        // A store that cannot be read now is no reason to leave.
        needsPerson || signIns.areWaiting || !vault.unsavedAccounts.isEmpty
            || ((try? vault.hasRefreshToCome()) ?? true)
    }

    /// Stores what is in flight and ends.
    func end() async {
        await signIns.stop()
        scheduler.cancel()
        backups.cancel()
        _ = try? await scheduler.value
        await vault.close()
        await recorder.value
        await backups.value
    }
}
