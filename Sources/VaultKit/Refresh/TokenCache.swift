internal import FoundationEssentials
internal import Platform
internal import VaultStore

/// The tokens handed out last, so that asking again costs neither a system call nor a hop.
final class TokenCache: Sendable {
    /// Seconds for which another process's change may go unnoticed.
    private static let staleness = 0.25

    private struct Entry {
        let token: AccessToken
        let stored: StoredAccessToken
        let checked: Moment
    }

    private let entries = Locked<[AccountName: Entry]>([:])

    func token(
        of account: AccountName,
        minimumLifetime: Double?,
        newerThan: UInt64?,
        now: Moment
    ) -> AccessToken? {
        guard let entry = entries.withLock({ $0[account] }),
            now.seconds(since: entry.checked) < Self.staleness,
            newerThan.map({ entry.token.generation > $0 }) ?? true,
            RefreshSchedule.isGood(entry.stored, minimumLifetime: minimumLifetime, at: now)
        else { return nil }
        return entry.token
    }

    func remember(_ token: AccessToken, _ account: StoredAccount, now: Moment) {
        guard let stored = account.tokens.defaultToken else { return }
        entries.withLock { entries in
            // An answer that was read before a refresh must not hide what the refresh brought. An
            // old entry hides nothing: an account that was added anew starts at generation 1.
            if let known = entries[token.account], known.token.generation > token.generation,
                now.seconds(since: known.checked) < Self.staleness
            {
                return
            }
            entries[token.account] = Entry(token: token, stored: stored, checked: now)
        }
    }

    func forget(_ account: AccountName) {
        entries.withLock { $0[account] = nil }
    }

    func forgetAll() {
        entries.withLock { $0 = [:] }
    }
}
