internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultStore

/// What a server would not grant of an account that is otherwise well, such as a scope that does not
/// exist, and until when it is not asked for again.
///
/// Of no concern to the account, so nothing of it is written down: a process learns it once, and
/// forgets it when somebody signs in again or changes the settings.
struct RefusedRequests: Sendable {
    private struct Key: Hashable {
        let account: AccountID
        let request: AccessTokenRequest
    }

    private struct Refusal {
        let error: VaultError
        /// Of the account's settings when it was refused.
        let revision: UInt64
        let count: Int
        let until: Moment

        func stands(at now: Moment) -> Bool { until.seconds(since: now) > 0 }
    }

    /// Remembered at the most: somebody may ask for ever new ones.
    private static let limit = 1000
    private static let shortestPause = 60.0
    /// What a server says of something that it does not grant.
    private static let codes: Set<VaultError.Code> = [
        .requestRefused, .clientRefused, .signInNeeded,
    ]

    private var refusals: [Key: Refusal] = [:]

    /// The refusal that still stands.
    func error(
        for request: AccessTokenRequest?,
        of account: StoredAccount,
        at now: Moment
    )
        -> VaultError?
    {
        guard let request,
            let refusal = refusals[Key(account: account.id, request: request)],
            refusal.revision == account.revision
        else { return nil }
        let left = refusal.until.seconds(since: now)
        guard left > 0 else { return nil }
        var facts = refusal.error.facts
        facts[.retryAfter] = "\(Int(left.rounded(.up)))"
        return VaultError(refusal.error.code, account: account.name, facts: facts)
    }

    /// Notes what a request came to that was sent.
    ///
    /// What the server wants to be asked later for is not asked for sooner, however it says that.
    mutating func note(
        _ outcome: RefreshOutcome,
        of request: AccessTokenRequest?,
        for account: StoredAccount,
        at now: Moment
    ) {
        guard let request else { return }
        let key = Key(account: account.id, request: request)
        switch outcome {
        case .refreshed: refusals[key] = nil
        case .failed(let error, _) where Self.codes.contains(error.code):
            makeRoom(at: now)
            let known = refusals[key].flatMap { $0.revision == account.revision ? $0 : nil }
            let count = (known?.count ?? 0) + 1
            let backoff = RefreshSchedule.backoff(failures: count, tokenIsAlive: true, random: 1)
            let asked = error.retryAfter.map { RefreshSchedule.pause(asked: $0) } ?? 0
            refusals[key] = Refusal(
                error: error,
                revision: account.revision,
                count: count,
                until: now.advanced(by: max(backoff, asked, Self.shortestPause))
            )
        case .adopted, .notSaved, .failed: break
        }
    }

    private mutating func makeRoom(at now: Moment) {
        guard refusals.count >= Self.limit else { return }
        refusals = refusals.filter { $0.value.stands(at: now) }
        if refusals.count >= Self.limit { refusals = [:] }
    }
}
