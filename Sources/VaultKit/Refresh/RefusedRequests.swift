internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultStore

/// What a server would not grant of an account that is otherwise well, such as a scope that does not
/// exist, and until when it is not asked for again.
///
/// Of no concern to the account, so nothing of it is written down: a process learns it once.
struct RefusedRequests: Sendable {
    private struct Key: Hashable {
        let account: AccountID
        let request: AccessTokenRequest
    }

    private struct Refusal {
        let error: VaultError
        let count: Int
        let until: Moment

        func stands(at now: Moment) -> Bool { until.seconds(since: now) > 0 }
    }

    /// Remembered at the most: somebody may ask for ever new ones.
    private static let limit = 1000
    private static let shortestPause = 60.0

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
            let refusal = refusals[Key(account: account.id, request: request)]
        else { return nil }
        let left = refusal.until.seconds(since: now)
        guard left > 0 else { return nil }
        var facts = refusal.error.facts
        facts[.retryAfter] = "\(Int(left.rounded(.up)))"
        return VaultError(refusal.error.code, account: account.name, facts: facts)
    }

    /// Notes what a request came to.
    mutating func note(
        _ outcome: RefreshOutcome,
        of request: AccessTokenRequest?,
        for account: AccountID,
        at now: Moment
    ) {
        guard let request else { return }
        let key = Key(account: account, request: request)
        switch outcome {
        case .refreshed: refusals[key] = nil
        case .failed(let error, _) where error.code == .requestRefused && error.retryAfter == nil:
            if refusals.count >= Self.limit {
                refusals = refusals.filter { $0.value.stands(at: now) }
            }
            if refusals.count >= Self.limit { refusals = [:] }
            let count = (refusals[key]?.count ?? 0) + 1
            let pause = max(
                RefreshSchedule.backoff(failures: count, tokenIsAlive: true, random: 1),
                Self.shortestPause
            )
            refusals[key] = Refusal(error: error, count: count, until: now.advanced(by: pause))
        case .adopted, .notSaved, .failed: break
        }
    }
}
