internal import FoundationEssentials
internal import OAuth
package import Platform
package import VaultStore

extension Account {
    /// An account as the store has it.
    ///
    /// What waits for its client is not as well as its own row says.
    package init(
        _ account: StoredAccount,
        isCurrent: Bool,
        now: Moment,
        refreshes: LiveRefreshes,
        client: ClientState?
    ) {
        // What was asked for with the client's credentials alone is asked for again.
        let isSpending = account.settings.grantKind == .refreshToken
        let lost = account.intent.flatMap { intent in
            isSpending && refreshes.hasLostAnswer(account, at: now) ? intent : nil
        }
        let needed = account.tokens.signInNeeded
        let wasLost = account.health.state == .active && lost != nil
        let isHeld = account.tokens.hold != nil || account.health.state == .verifyBeforeUse
        // Where nothing renews it, it is the end that is due.
        let isRefreshed = account.isRenewable && !isHeld
        let wait = wasLost ? nil : client.flatMap { ClientWait(of: account, for: $0, at: now) }
        self.init(
            name: account.name,
            isCurrent: isCurrent,
            state: wasLost ? .outcomeUnknown : wait?.state ?? account.health.state,
            reason: wasLost
                ? VaultError.Code.outcomeUnknown.rawValue
                : account.signInReason?.rawValue ?? account.tokens.hold?.reason.rawValue
                    ?? wait?.reason.rawValue ?? account.health.failures?.last,
            since: wasLost ? lost?.claimed.wall : wait.map(\.since) ?? account.health.since,
            firstSent: needed?.firstSent ?? lost?.first.wall,
            sentAgain: needed?.sentAgain ?? lost?.sendings?.sentAgain,
            issuer: account.settings.issuer,
            tokenEndpoint: account.settings.tokenEndpoint,
            expiry: account.tokens.defaultToken?.expiry(at: now),
            due: isRefreshed ? wait?.end ?? account.health.due : nil,
            grantEnd: account.grantEnd?.date,
            renewal: account.settings.renewal,
            generation: account.generation,
            failureCount: account.health.failures?.count ?? 0,
            lastFailure: account.health.failures?.last,
            tags: account.settings.tags.sorted(),
            lifetime: account.tokens.defaultToken?.lifetime,
            grantKind: account.settings.grantKind,
            identity: account.settings.identity
        )
    }
}

/// What an account waits for whose own refresh is due: nothing is sent for its client now.
///
/// It is not written down with each of them: a client may have very many.
private struct ClientWait {
    let state: AccountState
    let reason: VaultError.Code
    let since: Date?
    let end: Date

    init?(of account: StoredAccount, for client: ClientState, at now: Moment) {
        guard account.health.state == .active, account.isRenewable,
            RefreshSchedule.isDue(account, at: now)
        else { return nil }
        if let breaker = client.breaker {
            let isRefused = breaker.reason == .clientRefused
            state = isRefused ? .clientRefused : .backingOff
            reason = isRefused ? .clientRefused : .massRefusal
            since = breaker.since
            end = max(breaker.nextTry, now.wall)
        } else if let pause = client.pause(at: now) {
            (state, reason, since) = (.backingOff, .throttled, nil)
            end = now.wall.addingTimeInterval(pause)
        } else if let wait = client.limitWait(isPlanned: true, at: now.wall) {
            (state, reason, since) = (.backingOff, .throttled, nil)
            end = now.wall.addingTimeInterval(wait)
        } else {
            return nil
        }
    }
}
