internal import FoundationEssentials
internal import Platform
internal import VaultKit

/// A backup a day of a vault that is unlocked: of one that is locked nothing is renewed, so nothing
/// in it is new.
struct DailyBackups: Sendable {
    /// Seconds until the first look: an agent that is started for one call is long done by then.
    private static let first = 60.0
    /// Seconds between two.
    private static let between = 3600.0
    /// Seconds between two backups of one agent, by the clock that nobody sets: a wall clock that
    /// jumps would push the older ones out.
    private static let leastAge = 20 * 3600.0

    let vault: Vault
    let log: AgentLog
    let clock: any VaultClock

    /// Looks every hour whether one is due, until the task is cancelled.
    func run() async {
        var made: Moment?
        var pause = Self.first
        while (try? await clock.sleep(seconds: pause)) != nil {
            pause = Self.between
            let now = clock.now()
            if let made, now.seconds(since: made) < Self.leastAge { continue }
            if await look() { made = now }
        }
    }

    /// Makes one if it is due; whether it did.
    ///
    /// A failure is written down and stops nothing.
    private func look() async -> Bool {
        do {
            guard let path = try await vault.backUpDaily() else { return false }
            log.write("backed_up", ["path": path])
            return true
        } catch {
            let error = VaultError(error)
            var facts = ["code": error.code.rawValue]
            facts["reason"] = error.facts[.reason]
            log.write("backup_failed", facts)
            return false
        }
    }
}
