internal import Platform
internal import VaultStore

/// Tells a refresh that is running from one whose answer nobody waits for any more.
///
/// An intent stays behind when its process dies; the lock that it was written under does not.
package struct LiveRefreshes: Sendable {
    private let lockFile: FileLock?
    private let isOwn: @Sendable (AccountName) -> Bool

    /// Looks from outside, as a command does that refreshes nothing itself.
    package init(at location: VaultLocation) {
        self.init(lockFile: try? FileLock(path: location.lock), isOwn: { _ in false })
    }

    /// Looks from a process whose own locks its descriptor does not show.
    init(lockFile: FileLock?, isOwn: @escaping @Sendable (AccountName) -> Bool) {
        self.lockFile = lockFile
        self.isOwn = isOwn
    }

    /// Whether the answer to what was sent for the account is lost.
    func hasLostAnswer(_ account: StoredAccount, at now: Moment) -> Bool {
        guard let intent = account.intent, !isOwn(account.name) else { return false }
        do {
            guard let lockFile else { return now.seconds(since: intent.claimed) > longestRefresh }
            return try !lockFile.isHeldElsewhere(.account(account.number))
        } catch {
            return now.seconds(since: intent.claimed) > longestRefresh
        }
    }

    private var longestRefresh: Double { RefreshSchedule.longestRefresh }
}
