internal import VaultKit

/// How the program ends, listed by `vault help exit-codes`.
package enum ExitCode: Int32, Sendable, CaseIterable {
    case ok = 0
    case failure = 1
    case usage = 2
    case noSuchAccount = 3
    case signInNeeded = 4
    case locked = 5
    case temporary = 6
    case busy = 7
    case damaged = 8
    case newerFormat = 9
    case unsafePermissions = 10
    case notSaved = 11

    /// The code for an error.
    init(_ code: VaultError.Code) {
        switch code {
        case .noSuchAccount, .noAccountChosen: self = .noSuchAccount
        case .signInNeeded, .verifyBeforeUse, .paused: self = .signInNeeded
        case .locked: self = .locked
        case .unreachable, .throttled, .outcomeUnknown, .massRefusal, .closed: self = .temporary
        case .busy: self = .busy
        case .tampered, .damaged: self = .damaged
        case .newerFormat: self = .newerFormat
        case .unsafePermissions, .networkFileSystem: self = .unsafePermissions
        case .notSaved: self = .notSaved
        default: self = .failure
        }
    }

    var meaning: String {
        switch self {
        case .ok: "done"
        case .failure: "failed: no vault, name taken, bad input, client or request refused …"
        case .usage: "the words on the command line are wrong"
        case .noSuchAccount: "no such account, or none chosen"
        case .signInNeeded: "the account needs a new sign-in"
        case .locked: "the vault's key is missing or wrong"
        case .temporary: "failed for the moment: trying again later helps"
        case .busy: "another process kept the vault busy"
        case .damaged: "the vault is damaged or was tampered with"
        case .newerFormat: "the vault was written by a newer version"
        case .unsafePermissions: "others can read or change a file of the vault"
        case .notSaved: "refreshed, but the new token could not be saved yet"
        }
    }
}
