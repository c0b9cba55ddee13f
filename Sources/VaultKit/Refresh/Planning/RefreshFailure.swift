internal import OAuth
internal import VaultStore

/// A refresh that brought no access token, and what that means.
struct RefreshFailure: Sendable {
    let error: VaultError
    let state: AccountState
    /// Whether the server may have spent the refresh token all the same.
    let outcomeIsUnknown: Bool
    /// Whether anything was answered at all.
    let isAnswered: Bool
    /// Set when the grant is dead.
    let signInReason: SignInNeeded.Reason?
    /// The two sendings that ended the grant, where two did.
    let sendings: LateDuplicate?
    let retryAfter: Double?

    /// What came of a request that spends nothing: there is no grant to lose, and no outcome to be in
    /// doubt about.
    private static func unspent(
        _ answer: TokenEndpointError,
        _ told: (VaultError.Code, AccountState)
    ) -> (VaultError.Code, AccountState) {
        switch answer.class {
        // There is no grant besides the client's own: nobody can sign in anew.
        case .grantRefused, .expiredToken, .accessDenied, .interactionRequired:
            (.clientRefused, .clientRefused)
        case .ambiguous, .authorizationPending: (.outcomeUnknown, .backingOff)
        case .clientRefused, .requestRefused, .throttled, .slowDown: told
        }
    }

    /// Nothing came back.
    init(_ failure: HTTPTransportError, for account: StoredAccount, _ intent: Intent) {
        let host = account.settings.refreshEndpoint.host
        let facts: [VaultError.Fact: String] = [.host: host, .reason: failure.reason.rawValue]
        switch failure {
        case .notSent:
            error = VaultError(.unreachable, account: account.name, facts: facts)
            state = .backingOff
            // Not sent this time; what became of an earlier attempt is as unknown as before.
            outcomeIsUnknown = intent.attempt > 1 && account.spendsRefreshToken
        case .ambiguous:
            error = VaultError(.outcomeUnknown, account: account.name, facts: facts)
            state = account.spendsRefreshToken ? .outcomeUnknown : .backingOff
            outcomeIsUnknown = account.spendsRefreshToken
        }
        isAnswered = false
        signInReason = nil
        sendings = nil
        retryAfter = nil
    }

    /// The server answered.
    init(_ answer: TokenEndpointError, for account: StoredAccount, _ intent: Intent) {
        var facts: [VaultError.Fact: String] = [
            .host: account.settings.refreshEndpoint.host, .status: "\(answer.status)",
        ]
        facts[.error] = answer.code
        facts[.errorDescription] = answer.description
        facts[.retryAfter] = answer.retryAfter.map { "\($0)" }
        let isRetry = intent.attempt > 1
        var (reason, sendings): (SignInNeeded.Reason?, LateDuplicate?)
        var (code, state, isUnknown): (VaultError.Code, AccountState, Bool)
        switch answer.class {
        case .grantRefused, .expiredToken, .accessDenied:
            (reason, sendings) = Self.reason(for: account, intent)
            (code, state, isUnknown) = (.signInNeeded, .signInNeeded, false)
        case .interactionRequired:
            reason = .interactionRequired
            (code, state, isUnknown) = (.signInNeeded, .signInNeeded, false)
        // These say nothing about the grant: an earlier attempt stays as unknown as it was.
        case .clientRefused:
            (code, state, isUnknown) = (.clientRefused, .clientRefused, isRetry)
        case .requestRefused:
            (code, state, isUnknown) = (.requestRefused, .backingOff, isRetry)
        case .throttled, .slowDown:
            (code, state, isUnknown) = (.throttled, .backingOff, isRetry)
        case .ambiguous, .authorizationPending:
            (code, state, isUnknown) = (.outcomeUnknown, .outcomeUnknown, true)
        }
        if !account.spendsRefreshToken {
            (code, state) = Self.unspent(answer, (code, state))
            (reason, sendings, isUnknown) = (nil, nil, false)
        }
        facts[.reason] = reason?.rawValue
        self.state = state
        outcomeIsUnknown = isUnknown
        error = VaultError(code, account: account.name, facts: facts)
        isAnswered = true
        signInReason = reason
        self.sendings = sendings
        retryAfter = answer.retryAfter
    }

    /// Why a grant is refused.
    private static func reason(
        for account: StoredAccount,
        _ intent: Intent
    ) -> (SignInNeeded.Reason, LateDuplicate?) {
        if account.health.state == .verifyBeforeUse { return (.staleCopy, nil) }
        // Refused the second time it was sent: the first answer, which was lost, had rotated it.
        if let sendings = intent.sendings { return (.rotationLost, sendings) }
        // The pair came from a second sending, and the first one arrived after it.
        if let sendings = account.tokens.lateDuplicate { return (.lateDuplicate, sendings) }
        return (.grantRefused, nil)
    }
}

extension StoredAccount {
    /// Whether its refreshes spend something, so that one whose answer is lost is in doubt.
    fileprivate var spendsRefreshToken: Bool { settings.grantKind == .refreshToken }
}
