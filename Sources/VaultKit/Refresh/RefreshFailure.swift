internal import OAuth
internal import VaultStore

/// A refresh that brought no access token, and what follows from it.
struct RefreshFailure: Error, Sendable {
    let error: VaultError
    let state: AccountState
    /// Whether the server may have spent the refresh token all the same.
    let outcomeIsUnknown: Bool
    let signInReason: SignInNeeded.Reason?
    let retryAfter: Double?

    /// Nothing came back.
    ///
    /// `attempt` counts the times this refresh token was claimed.
    init(_ failure: HTTPTransportError, host: String, attempt: Int) {
        let facts: [VaultError.Fact: String] = [.host: host, .reason: failure.reason.rawValue]
        switch failure {
        case .notSent:
            error = VaultError(.unreachable, facts: facts)
            state = .backingOff
            // Not sent this time; what became of an earlier attempt is as unknown as before.
            outcomeIsUnknown = attempt > 1
        case .ambiguous:
            error = VaultError(.outcomeUnknown, facts: facts)
            state = .outcomeUnknown
            outcomeIsUnknown = true
        }
        signInReason = nil
        retryAfter = nil
    }

    /// The server answered.
    ///
    /// `attempt` counts the times this refresh token was sent; `isStale` says that it came from an
    /// old copy.
    init(_ answer: TokenEndpointError, host: String, attempt: Int, isStale: Bool = false) {
        var facts: [VaultError.Fact: String] = [.host: host, .status: "\(answer.status)"]
        facts[.error] = answer.code
        facts[.errorDescription] = answer.description
        facts[.retryAfter] = answer.retryAfter.map { "\($0)" }
        retryAfter = answer.retryAfter
        let code: VaultError.Code
        switch answer.class {
        case .grantRefused, .expiredToken, .accessDenied:
            // Refused the second time it was sent: the first answer, which was lost, had rotated it.
            signInReason = isStale ? .staleCopy : attempt > 1 ? .rotationLost : .grantRefused
            (code, state, outcomeIsUnknown) = (.signInNeeded, .signInNeeded, false)
        case .interactionRequired:
            signInReason = .interactionRequired
            (code, state, outcomeIsUnknown) = (.signInNeeded, .signInNeeded, false)
        // These say nothing about the grant: an earlier attempt stays as unknown as it was.
        case .clientRefused:
            signInReason = nil
            (code, state, outcomeIsUnknown) = (.clientRefused, .clientRefused, attempt > 1)
        case .requestRefused:
            signInReason = nil
            (code, state, outcomeIsUnknown) = (.requestRefused, .backingOff, attempt > 1)
        case .throttled, .slowDown:
            signInReason = nil
            (code, state, outcomeIsUnknown) = (.throttled, .backingOff, attempt > 1)
        case .ambiguous, .authorizationPending:
            signInReason = nil
            (code, state, outcomeIsUnknown) = (.outcomeUnknown, .outcomeUnknown, true)
        }
        facts[.reason] = signInReason?.rawValue
        error = VaultError(code, facts: facts)
    }
}
