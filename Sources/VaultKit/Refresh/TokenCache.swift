internal import FoundationEssentials
internal import Platform
internal import VaultStore

/// What was read of the accounts last, so that asking again costs neither a system call nor a hop.
final class TokenCache: Sendable {
    /// Seconds for which another process's change may go unnoticed.
    static let staleness = 0.25
    /// Entries of an account: as many as are stored of it.
    fileprivate static let limit = 16

    /// What was handed out, and for how long it may be again.
    ///
    /// One object with all that a hit looks at, and small. Times are seconds since the cache began.
    final class Entry: Sendable {
        let checked: Double
        /// When the token expires; never when nobody knows.
        private let end: Double
        /// Seconds before that for which it is handed out to who asks for a certain time only.
        private let promise: Double
        let token: AccessToken
        /// What was asked for.
        let request: AccessTokenRequest?

        init(
            _ token: AccessToken,
            _ stored: StoredAccessToken,
            _ lookup: TokenLookup,
            since start: Moment
        ) {
            checked = lookup.now.seconds(since: start)
            end = checked + (stored.secondsLeft(at: lookup.now) ?? .infinity)
            promise = RefreshSchedule.promise(of: stored)
            self.token = token
            request = lookup.request
        }

        func isFresh(at time: Double) -> Bool { time - checked < TokenCache.staleness }

        /// Whether it is good for what is asked, as it was when it was checked.
        ///
        /// Not before that: then the clock was set back, and more may seem to be left than its whole
        /// life.
        func serves(_ lookup: TokenLookup, at time: Double) -> Bool {
            time >= checked && isFresh(at: time)
                && end - time >= lookup.minimumLifetime ?? promise
                && lookup.newerThan.map { token.generation > $0 } ?? true
        }
    }

    fileprivate struct State {
        /// What was read since a moment, and what was read before.
        ///
        /// Tables go as a whole, with nobody looking at what is in them: by the time that another takes
        /// the place of `newer`, all in `older` is stale. So no more is kept than is read within twice
        /// that time, however many accounts there are.
        var newer = TokenTable()
        var older = TokenTable()
        /// When the newer one began.
        var since = 0.0
        /// When the last entry came in.
        var last = 0.0
        /// What times count from.
        var start: Moment?
        /// The accounts whose token was no longer good enough for somebody.
        var outdated: [AccountName: AccountReading] = [:]

        func entry(
            of account: AccountName,
            _ hash: Int,
            for request: AccessTokenRequest?
        ) -> Entry? {
            newer.entry(of: account, hash, for: request)
                ?? older.entry(of: account, hash, for: request)
        }
    }

    private let state = Locked(State())

    /// The token handed out last, while it is good for what is asked.
    ///
    /// Nothing in it asks the heap for memory, or is kept by a caller who waits afterwards.
    @inline(never)
    func token(of account: AccountName, _ lookup: TokenLookup) -> AccessToken? {
        let hash = account.hashValue
        return state.withLock { state in
            guard let start = state.start,
                let entry = state.entry(of: account, hash, for: lookup.request),
                entry.serves(lookup, at: lookup.now.seconds(since: start))
            else { return nil }
            return entry.token
        }
    }

    /// Remembers what was handed out of an account.
    func remember(_ token: AccessToken, _ account: StoredAccount, _ lookup: TokenLookup) {
        guard let stored = account.tokens.accessToken(for: lookup.request) else { return }
        remember(token, stored, lookup)
    }

    /// Remembers a token that was handed out, as it is stored.
    func remember(_ token: AccessToken, _ stored: StoredAccessToken, _ lookup: TokenLookup) {
        let hash = token.account.hashValue
        // What was in them goes after the lock.
        let gone = state.withLock { state in
            let start = state.start ?? lookup.now
            state.start = start
            let entry = Entry(token, stored, lookup, since: start)
            let gone = state.makeRoom(at: entry.checked)
            state.remember(entry, hash)
            return gone
        }
        extendLifetime(gone)
    }

    /// How many tokens of an account are remembered.
    func entryCount(of account: AccountName) -> Int {
        let hash = account.hashValue
        return state.withLock { state in
            state.newer.entries(of: account, hash).count
                + state.older.entries(of: account, hash).count
        }
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
        let hash = account.hashValue
        state.withLock { state in
            state.newer.remove(account, hash) { _ in true }
            state.older.remove(account, hash) { _ in true }
            state.outdated[account] = nil
        }
    }

    func forgetAll() {
        state.withLock { $0 = State() }
    }
}

extension TokenCache.State {
    /// Begins another table when the newer one is old enough, and gives back those that are stale.
    fileprivate mutating func makeRoom(at time: Double) -> [TokenTable] {
        defer { last = time }
        // Also when the clock was set back.
        guard abs(time - since) >= TokenCache.staleness else { return [] }
        since = time
        var gone = [older]
        older = newer
        newer = TokenTable(capacity: older.count)
        if time - last >= TokenCache.staleness {
            gone.append(older)
            older = TokenTable()
        }
        return gone
    }

    fileprivate mutating func remember(_ entry: TokenCache.Entry, _ hash: Int) {
        let account = entry.token.account
        // An answer that was read before a refresh must not hide what the refresh brought. An old
        // entry hides nothing: an account that was added anew starts at generation 1.
        if let known = self.entry(of: account, hash, for: entry.request),
            known.token.generation > entry.token.generation, known.isFresh(at: entry.checked)
        {
            return
        }
        older.remove(account, hash) { $0.request == entry.request }
        newer.insert(entry, hash)
        guard entry.request != nil else { return }
        // Somebody may ask for ever new ones.
        let known = newer.entries(of: account, hash) + older.entries(of: account, hash)
        if known.count > TokenCache.limit,
            let oldest = known.min(by: { $0.checked < $1.checked })
        {
            newer.remove(account, hash) { $0.request == oldest.request }
            older.remove(account, hash) { $0.request == oldest.request }
        }
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
