internal import FoundationEssentials
internal import Platform
internal import VaultStore

/// Accounts that are renewed when somebody asks for their tokens, and not before.
extension RefreshSchedule {
    /// Whether nothing is sent for an account unless somebody asks.
    ///
    /// What was begun is brought to its end all the same: a refresh whose answer was lost may have
    /// spent the refresh token, and only its successor keeps the grant. So is the end of one that
    /// cannot be renewed, which is written down and not sent.
    static func isLeftToCallers(_ account: StoredAccount, at now: Moment) -> Bool {
        guard account.settings.renewal == .manual, account.isRenewable, account.intent == nil
        else { return false }
        guard let token = account.tokens.defaultToken,
            let delay = RenewalPlan(account).delay(of: token, generation: account.generation)
        else { return true }
        return now.seconds(since: token.obtained) < delay
    }

    /// When an account that is left to its callers comes up again; nil for never.
    static func rest(_ account: StoredAccount, at now: Moment) -> Date? {
        // Its callers probe a grant that is refused, as long as anybody does.
        if let needed = account.tokens.signInNeeded, isProbed(needed, at: now) {
            return account.health.due
        }
        return RenewalPlan.keepAlive(of: account)
    }

    /// When an account's refresh is due by its policy and its tokens; what a failure, a person or the
    /// end of a grant has it wait for stays.
    static func due(asPlanned account: StoredAccount) -> Date? {
        guard account.isRenewable, !account.health.state.wantsPerson,
            account.health.failures == nil || account.health.due == nil,
            let token = account.tokens.defaultToken
        else { return account.health.due }
        return RenewalPlan(account).delay(of: token, generation: account.generation).map { delay in
            token.obtained.wall.addingTimeInterval(delay)
        }
    }
}
