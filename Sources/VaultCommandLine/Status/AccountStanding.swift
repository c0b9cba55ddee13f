internal import FoundationEssentials
internal import VaultAgentClient
internal import VaultKit

/// How an account stands, as far as somebody may have to do something.
enum AccountStanding: Int, Sendable, CaseIterable {
    /// Nothing is to be done.
    case fine
    /// Somebody switched it off.
    case paused
    /// It fails for the moment, and is tried again.
    case backingOff
    case outcomeUnknown
    case notSaved
    case clientRefused
    /// In a state that only a newer agent knows.
    case unknown
    case verifyBeforeUse
    case signInNeeded

    init(_ state: AccountState?) {
        self =
            switch state {
            case .active, .static: .fine
            case .paused: .paused
            case .backingOff: .backingOff
            case .outcomeUnknown: .outcomeUnknown
            case .notSaved: .notSaved
            case .clientRefused: .clientRefused
            case .verifyBeforeUse: .verifyBeforeUse
            case .signInNeeded: .signInNeeded
            case nil: .unknown
            }
    }

    /// What scripts are told: the account may as well not be there, or waits for a sign-in, or is to
    /// be looked at later.
    var exitCode: ExitCode {
        switch self {
        case .fine, .paused: .ok
        case .signInNeeded, .verifyBeforeUse: .signInNeeded
        case .backingOff, .outcomeUnknown, .notSaved, .clientRefused, .unknown: .temporary
        }
    }

    var ink: TextStyle.Ink {
        switch exitCode {
        case .ok: self == .fine ? .green : .faint
        case .signInNeeded: .red
        default: .yellow
        }
    }

    /// So many accounts of it, in words.
    func count(_ count: Int) -> String {
        let verb = count == 1 ? "needs" : "need"
        return switch self {
        case .fine: "\(count) fine"
        case .paused: "\(count) paused"
        case .backingOff: "\(count) backing off"
        case .outcomeUnknown: "\(count) with a lost answer"
        case .notSaved: "\(count) not saved"
        case .clientRefused: "\(count) with a refused client"
        case .unknown: "\(count) in a state of a newer version"
        case .verifyBeforeUse: "\(count) to be verified"
        case .signInNeeded: "\(count) \(verb) a sign-in"
        }
    }

    /// What somebody can do for an account; nil where there is nothing.
    func advice(_ name: String) -> String? {
        switch self {
        case .fine, .paused, .unknown: nil
        case .backingOff, .outcomeUnknown: "vault refresh \(name) tries it now"
        case .notSaved: "make room on the disk; the agent keeps the token and tries again"
        case .clientRefused: "vault client set ID gives its client a new secret"
        case .verifyBeforeUse: "vault refresh \(name) tries it, vault login \(name) signs in anew"
        case .signInNeeded: "vault login \(name)"
        }
    }
}

/// An account as a person is told of it.
struct AccountLine: Sendable {
    let status: AccountStatusDocument
    /// Whether nobody has the keys that a refresh takes.
    var isLocked = false
    let now: Date

    var name: String { status.account.name }

    var standing: AccountStanding {
        AccountStanding(AccountState(rawValue: status.account.state))
    }

    /// Whether its token is one that is never renewed.
    private var isStatic: Bool { status.account.grant == GrantKind.static.rawValue }

    /// What somebody can do for it; nil where there is nothing.
    var advice: String? {
        guard standing == .signInNeeded, isStatic else { return standing.advice(name) }
        return "vault add \(name) --static --replace stores another token"
    }

    /// Whether its token is past its end.
    private var isExpired: Bool { status.account.expiresAt.map { $0 <= now } ?? false }

    /// Whether nothing renews it until somebody asks for its token.
    private var isRenewedOnRequest: Bool {
        standing == .fine && status.account.renewal == RenewalPolicy.manual.rawValue
    }

    /// The state in words.
    ///
    /// A token that expired says nothing of the grant: what counts is whether it is renewed.
    var state: String {
        switch AccountState(rawValue: status.account.state) {
        case .active where isExpired:
            status.account.dueAt == nil && !isRenewedOnRequest ? "expired" : "renewable"
        case .active: "fine"
        case .static: isExpired ? "expired" : "static"
        case .paused: "paused"
        case .backingOff: "backing off"
        case .outcomeUnknown: "outcome unknown"
        case .notSaved: "not saved"
        case .clientRefused: "client refused"
        case .verifyBeforeUse: "to be verified"
        case .signInNeeded where isStatic: "expired"
        case .signInNeeded: "sign-in needed"
        case nil: Printable.escaped(status.account.state)
        }
    }

    /// How much of its token's life is left, from 0 to 1; nil where nobody can tell.
    var lifeLeft: Double? {
        guard let end = status.account.expiresAt, let life = status.detail?.lifetime, life > 0
        else { return isExpired ? 0 : nil }
        return min(max(end.timeIntervalSince(now) / life, 0), 1)
    }

    var expires: String { TimeText.distance(to: status.account.expiresAt, from: now) }

    var refresh: String {
        guard let due = status.account.dueAt else {
            return isRenewedOnRequest ? "when asked" : "never"
        }
        return isLocked ? "locked" : TimeText.distance(to: due, from: now)
    }

    var grantEnds: String {
        status.grantEndsAt.map { TimeText.distance(to: $0, from: now) } ?? TimeText.unknown
    }

    /// What is wrong with it, and how often it went wrong.
    func trouble(_ style: TextStyle) -> String {
        guard let detail = status.detail else { return "unknown" }
        guard let reason = detail.reason ?? detail.lastFailure else { return "none" }
        // Columns that no seal covers.
        let words = Printable.escaped(reason).replacing("_", with: " ")
        let times = style.isUnicode ? "\u{d7}" : "x"
        return detail.failureCount > 1 ? "\(detail.failureCount) \(times) \(words)" : words
    }

    // MARK: - The end of the grant

    private static let longestWarning = 14 * 86_400.0
    private static let shortestWarning = 86_400.0

    /// Whether the grant ends within two weeks, or the last quarter of its life where that is less.
    ///
    /// Where nobody wrote down when it began, its life counts from when the account came to be well.
    var isGrantEndNear: Bool {
        guard let end = status.grantEndsAt, standing != .signInNeeded, grantEnds != TimeText.unknown
        else { return false }
        let life = status.detail?.since.map { end.timeIntervalSince($0) } ?? .infinity
        let warning = min(Self.longestWarning, max(life / 4, Self.shortestWarning))
        return end.timeIntervalSince(now) <= warning
    }

    /// A sign-in before the grant's end spares a person one at the wrong moment.
    var grantWarning: String? {
        guard isGrantEndNear, let end = status.grantEndsAt else { return nil }
        let verb = end > now ? "ends" : "ended"
        return "the grant of \(name) \(verb) \(grantEnds): vault login \(name) renews it"
    }
}
