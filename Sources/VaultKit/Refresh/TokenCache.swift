internal import FoundationEssentials
internal import Platform
internal import VaultStore

/// What was read of the accounts last, so that asking again costs neither a system call nor a hop.
final class TokenCache: Sendable {
    /// Seconds for which another process's change may go unnoticed.
    private static let staleness = 0.25
    /// Entries of an account: as many as are stored of it.
    private static let limit = 16

    /// Shared, so that handing it out of the lock copies nothing.
    fileprivate final class Entry: Sendable {
        /// What was asked for.
        let request: AccessTokenRequest?
        let token: AccessToken
        let stored: StoredAccessToken
        let checked: Moment

        init(
            _ request: AccessTokenRequest?,
            _ token: AccessToken,
            _ stored: StoredAccessToken,
            checked: Moment
        ) {
            self.request = request
            self.token = token
            self.stored = stored
            self.checked = checked
        }
    }

    private struct State {
        /// By account; so few of each that looking through them is quicker than hashing.
        var entries: [AccountName: [Entry]] = [:]
        /// The accounts whose token was no longer good enough for somebody.
        var outdated: [AccountName: AccountReading] = [:]
    }

    private let state = Locked(State())

    /// The token handed out last, while it is good for what is asked.
    ///
    /// Nothing in it asks the heap for memory.
    func token(
        of account: AccountName,
        _ lookup: TokenLookup
    ) -> AccessToken? {
        guard let entry = state.withLock({ $0.entries[account]?.entry(for: lookup.request) }),
            lookup.now.seconds(since: entry.checked) < Self.staleness,
            lookup.newerThan.map({ entry.token.generation > $0 }) ?? true,
            RefreshSchedule.isGood(
                entry.stored,
                minimumLifetime: lookup.minimumLifetime,
                at: lookup.now
            )
        else { return nil }
        return entry.token
    }

    /// Remembers what was handed out of an account.
    func remember(_ token: AccessToken, _ account: StoredAccount, _ lookup: TokenLookup) {
        guard let stored = account.tokens.accessToken(for: lookup.request) else { return }
        let entry = Entry(lookup.request, token, stored, checked: lookup.now)
        state.withLock { Self.remember(entry, in: &$0.entries[token.account, default: []]) }
    }

    private static func remember(_ entry: Entry, in entries: inout [Entry]) {
        // An answer that was read before a refresh must not hide what the refresh brought. An old
        // entry hides nothing: an account that was added anew starts at generation 1.
        if let known = entries.entry(for: entry.request),
            known.token.generation > entry.token.generation,
            entry.checked.seconds(since: known.checked) < staleness
        {
            return
        }
        // Entries that are not handed out any more go: somebody may ask for ever new ones.
        entries.removeAll { known in
            known.request == entry.request
                || entry.checked.seconds(since: known.checked) >= staleness
                || !RefreshSchedule.isUsable(known.stored, at: entry.checked)
        }
        if entries.count >= limit,
            let oldest = entries.indices.min(by: { left, right in
                entries[right].checked.seconds(since: entries[left].checked) > 0
            })
        {
            entries.remove(at: oldest)
        }
        entries.append(entry)
    }

    /// How many tokens of an account are remembered.
    func entryCount(of account: AccountName) -> Int {
        state.withLock { $0.entries[account]?.count ?? 0 }
    }

    /// What the caller before read of an account that is being refreshed, so that a crowd reads the
    /// file once.
    ///
    /// One who has seen a newer generation than that has to read for itself.
    func outdated(_ account: AccountName, newerThan: UInt64?, now: Moment) -> AccountReading? {
        guard let reading = state.withLock({ $0.outdated[account] }),
            (0..<Self.staleness).contains(now.seconds(since: reading.read)),
            newerThan.map({ reading.account.generation >= $0 }) ?? true
        else { return nil }
        return reading
    }

    func remember(outdated reading: AccountReading) {
        state.withLock { $0.outdated[reading.account.name] = reading }
    }

    /// Forgets how an account was before its refresh ended.
    func forgetOutdated(_ account: AccountName) {
        state.withLock { $0.outdated[account] = nil }
    }

    func forget(_ account: AccountName) {
        state.withLock { state in
            state.entries[account] = nil
            state.outdated[account] = nil
        }
    }

    func forgetAll() {
        state.withLock { $0 = State() }
    }
}

extension [TokenCache.Entry] {
    fileprivate func entry(for request: AccessTokenRequest?) -> TokenCache.Entry? {
        first { $0.request == request }
    }
}

/// An account as it was read at a moment, for any number of callers to share.
final class AccountReading: Sendable {
    let account: StoredAccount
    let read: Moment

    init(_ account: StoredAccount, read: Moment) {
        self.account = account
        self.read = read
    }
}
