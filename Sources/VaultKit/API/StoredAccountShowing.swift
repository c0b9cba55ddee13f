internal import OAuth
package import Platform
package import VaultStore

extension Account {
    /// An account as the store has it.
    package init(
        _ account: StoredAccount,
        isCurrent: Bool,
        now: Moment,
        refreshes: LiveRefreshes
    ) {
        let lost = account.intent.flatMap { intent in
            refreshes.hasLostAnswer(account, at: now) ? intent : nil
        }
        let needed = account.tokens.signInNeeded
        let wasLost = account.health.state == .active && lost != nil
        let isHeld = account.tokens.hold != nil || account.health.state == .verifyBeforeUse
        // Without a refresh token it is the end that is due.
        let isRefreshed = account.tokens.refreshToken != nil && !isHeld
        self.init(
            name: account.name,
            isCurrent: isCurrent,
            state: wasLost ? .outcomeUnknown : account.health.state,
            reason: wasLost
                ? VaultError.Code.outcomeUnknown.rawValue
                : account.signInReason?.rawValue ?? account.tokens.hold?.reason.rawValue
                    ?? account.health.failures?.last,
            since: wasLost ? lost?.claimed.wall : account.health.since,
            firstSent: needed?.firstSent ?? lost?.first.wall,
            sentAgain: needed?.sentAgain ?? lost?.sendings?.sentAgain,
            issuer: account.settings.issuer,
            tokenEndpoint: account.settings.tokenEndpoint,
            expiry: account.tokens.defaultToken?.expiry(at: now),
            due: isRefreshed ? account.health.due : nil,
            generation: account.generation,
            failureCount: account.health.failures?.count ?? 0,
            lastFailure: account.health.failures?.last,
            tags: account.settings.tags.sorted(),
            lifetime: account.tokens.defaultToken?.lifetime
        )
    }
}
