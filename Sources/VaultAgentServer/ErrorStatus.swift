internal import VaultKit
internal import VaultStore

extension VaultError {
    /// The HTTP status that goes with the code.
    var status: Int {
        switch code {
        case .noSuchAccount, .noAccountChosen, .noSuchClient: 404
        case .nameTaken, .grantKnown, .grantAlive, .signInNeeded, .verifyBeforeUse, .paused,
            .otherIdentity, .lifetimeTooShort, .scopeMissing, .clientRefused, .requestRefused:
            409
        case .invalidInput: 400
        case .locked: 423
        case .throttled: 429
        case .unreachable, .outcomeUnknown, .massRefusal, .busy, .notSaved, .closed: 503
        case .signInFailed: 502
        // Whom nobody asked is not to blame: it is not known where to, or how.
        case .revocationFailed: facts[.host] == nil ? 409 : 502
        default: 500
        }
    }
}
