internal import FoundationEssentials
internal import Platform
internal import VaultStore

/// What was read of the accounts last, so that asking again costs neither a system call nor a hop.
final class TokenCache: Sendable {
    /// Seconds for which another process's change may go unnoticed.
    private static let staleness = 0.25
    /// Entries of an account: as many as are stored of it.
    private static let limit = 16

    private struct Entry {
        let token: AccessToken
        let stored: StoredAccessToken
        let checked: Moment
    }

    private struct State {
        /// By account, and then by what was asked for.
        var entries: [AccountName: [AccessTokenRequest?: Entry]] = [:]
        /// The accounts whose token was no longer good enough for somebody.
        var outdated: [AccountName: AccountReading] = [:]
    }

    private let state = Locked(State())

    /// The token handed out last, while it is good for what is asked.
    func token(
        of account: AccountName,
        _ lookup: TokenLookup
    ) -> AccessToken? {
        guard let entry = state.withLock({ $0.entries[account]?[lookup.request] }),
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
        state.withLock { state in
            // An answer that was read before a refresh must not hide what the refresh brought. An
            // old entry hides nothing: an account that was added anew starts at generation 1.
            if let known = state.entries[token.account]?[lookup.request],
                known.token.generation > token.generation,
                lookup.now.seconds(since: known.checked) < Self.staleness
            {
                return
            }
            let entry = Entry(token: token, stored: stored, checked: lookup.now)
            Self.remember(entry, lookup.request, in: &state.entries[token.account, default: [:]])
        }
    }

    /// Entries that are not handed out any more go: somebody may ask for ever new ones.
    private static func remember(
        _ entry: Entry,
        _ request: AccessTokenRequest?,
        in entries: inout [AccessTokenRequest?: Entry]
    ) {
        entries[request] = nil
        if !entries.isEmpty {
            entries = entries.filter {
                entry.checked.seconds(since: $0.value.checked) < staleness
                    && RefreshSchedule.isUsable($0.value.stored, at: entry.checked)
            }
        }
        if entries.count >= limit,
            let oldest = entries.min(by: { left, right in
                right.value.checked.seconds(since: left.value.checked) > 0
            })
        {
            entries[oldest.key] = nil
        }
        entries[request] = entry
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

/// An account as it was read at a moment, for any number of callers to share.
final class AccountReading: Sendable {
    let account: StoredAccount
    let read: Moment

    init(_ account: StoredAccount, read: Moment) {
        self.account = account
        self.read = read
    }
}
