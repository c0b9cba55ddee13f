import FoundationEssentials

@testable import VaultStore

/// The store's contract for one account, in memory: conditional updates on its generation.
///
/// `ModelStoreTests` holds it against the SQLite store.
struct ModelStore: Hashable, Sendable {
    private(set) var account: Frozen<StoredAccount>
    private var past = Frozen(Past())
    /// Whether writes fail.
    var isFull = false

    /// What is remembered beside the account.
    private struct Past: Hashable {
        var client = ClientState()
        var spent: Set<[UInt8]> = []
        /// Generations whose pair came too late and was kept aside.
        var keptAside: [UInt64] = []
        /// Every access token that was ever stored.
        var committed: Set<String> = []
    }

    init(_ account: StoredAccount) {
        self.account = Frozen(account)
        note(account.tokens)
    }

    var generation: UInt64 { account.value.generation }
    var client: ClientState { past.value.client }

    /// Whether an access token is or was stored.
    func hasStored(_ accessToken: String) -> Bool {
        past.value.committed.contains(accessToken)
    }

    /// Writes an intent; false when the account has moved on.
    mutating func claim(_ seen: StoredAccount, _ intent: Intent, compares: Bool) -> Bool {
        guard seen.generation == generation || !compares else { return false }
        change { $0.intent = intent }
        return true
    }

    /// Stores a pair; false when it came too late.
    mutating func install(_ pair: ModelPair, for claimed: UInt64, compares: Bool) -> Bool {
        if let hash = pair.spentTokenHash { remember { $0.spent.insert(hash) } }
        guard generation == claimed || !compares else {
            if generation == claimed + 1, account.value.tokens == pair.tokens { return true }
            remember { $0.keptAside.append(claimed) }
            return false
        }
        if let token = pair.tokens.refreshToken?.modelHash {
            remember { $0.spent.remove(token) }
        }
        change { account in
            account.generation += 1
            account.tokens = pair.tokens
            account.intent = nil
            account.health.due = pair.due?.wholeSecondNotEarlier
            account.health.failures = nil
            account.setState(.active, at: pair.now)
        }
        note(pair.tokens)
        note(pair.effect, at: pair.now)
        return true
    }

    /// Ends a claim without a pair.
    mutating func abandon(_ claimed: ClaimedIntent, _ end: Abandonment, compares: Bool) {
        let isNewest =
            generation == claimed.generation && account.value.intent == claimed.intent
        guard isNewest || !compares else { return }
        let now = end.at ?? account.value.health.since ?? Date(timeIntervalSince1970: 0)
        note(end.effect, at: now)
        change { account in
            if end.swapsSecret, let other = account.settings.withOtherSecret {
                account.settings = other
                account.revision += 1
            }
            if let needed = end.signInNeeded { account.tokens.signInNeeded = needed }
            account.tokens.silentRefusals = end.silentRefusals
            if !end.outcomeIsUnknown { account.intent = nil }
            account.setHealth(end.health(of: account), at: now)
        }
    }

    /// Writes down until when nothing is sent.
    mutating func postpone(_ seen: UInt64, _ health: StoredAccount.Health, at now: Date) {
        guard generation == seen else { return }
        change { $0.setHealth(health, at: now) }
    }

    /// Stores what a new sign-in brought.
    mutating func replace(with new: NewAccount) {
        change { account in
            account.revision += 1
            account.generation += 1
            account.settings = new.settings
            account.tokens = new.tokens
            account.intent = nil
            account.health.due = new.health.due?.wholeSecondNotEarlier
            account.health.failures = nil
            account.setState(new.health.state, at: new.health.since)
        }
        note(new.tokens)
    }

    private mutating func change(_ body: (inout StoredAccount) -> Void) {
        var changed = account.value
        body(&changed)
        changed.health.state = state(of: changed)
        account = Frozen(changed)
    }

    /// The state as the store reads it: sealed facts go before what is only a hint.
    private func state(of account: StoredAccount) -> AccountState {
        if account.tokens.signInNeeded != nil { return .signInNeeded }
        if let hash = account.tokens.refreshToken?.modelHash, past.value.spent.contains(hash) {
            return .verifyBeforeUse
        }
        return account.health.state.wantsPerson ? .active : account.health.state
    }

    private mutating func remember<Result>(_ body: (inout Past) -> Result) {
        var changed = past.value
        _ = body(&changed)
        past = Frozen(changed)
    }

    private mutating func note(_ tokens: TokenSet) {
        guard let token = tokens.accessTokens.first else { return }
        remember { $0.committed.insert(token.value.text) }
    }

    private mutating func note(_ effect: ClientEffect?, at now: Date) {
        guard let effect else { return }
        let id = account.value.id
        remember { $0.client = $0.client.after(effect, account: id, at: now) }
    }
}

extension StoredAccount {
    fileprivate mutating func setState(_ state: AccountState, at date: Date?) {
        guard health.state != state else { return }
        health.state = state
        health.since = date?.wholeSecond
    }

    fileprivate mutating func setHealth(_ new: Health, at date: Date) {
        health.due = new.due?.wholeSecondNotEarlier
        health.failures = new.failures.flatMap { failures in
            guard failures.count > 0 else { return nil }
            return Failures(
                count: failures.count,
                last: failures.last,
                at: failures.at.wholeSecond
            )
        }
        setState(new.state, at: date)
    }
}

extension Date {
    fileprivate var wholeSecond: Date { rounded(.down) }
    fileprivate var wholeSecondNotEarlier: Date { rounded(.up) }

    private func rounded(_ rule: FloatingPointRoundingRule) -> Date {
        Date(timeIntervalSince1970: timeIntervalSince1970.rounded(rule))
    }
}
