/// How an account is doing, as every JSON document and metric of the vault names it.
public enum AccountState: String, Sendable, Hashable, CaseIterable, Codable {
    /// Its token is refreshed when due.
    case active
    /// The last refresh failed for the moment; it is tried again.
    case backingOff = "backing_off"
    /// The grant is dead or wants the resource owner: only signing in again helps.
    case signInNeeded = "sign_in_needed"
    /// The authorization server refuses the client, not the grant.
    case clientRefused = "client_refused"
    /// The stored refresh token may have been spent elsewhere.
    ///
    /// Also what a newer agent calls by a name that this program does not know, which is the
    /// ``Account/reason`` then.
    case verifyBeforeUse = "verify_before_use"
    /// A refresh was sent and its answer never arrived.
    case outcomeUnknown = "outcome_unknown"
    /// A new pair is in memory and could not be stored yet.
    case notSaved = "not_saved"
    /// Refreshing is switched off.
    case paused
    /// The token is never renewed.
    case `static`

    /// Whether nothing is sent until a person says so.
    package var wantsPerson: Bool {
        switch self {
        case .signInNeeded, .verifyBeforeUse, .paused: true
        case .active, .backingOff, .clientRefused, .outcomeUnknown, .notSaved, .static: false
        }
    }
}
