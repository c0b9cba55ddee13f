import VaultStore

/// How an account does while nothing is in anybody's hands: for good, or until its next refresh.
enum End: Hashable, Sendable, Comparable, CustomStringConvertible {
    case healthy
    case dead(String)
    case outcomeUnknown(isServed: Bool)
    case failing
    case notNoticed
    case notSaved(isServed: Bool)
    case deadAndSilent

    static func < (left: End, right: End) -> Bool {
        (left.isLast ? 0 : 1, left.description) < (right.isLast ? 0 : 1, right.description)
    }

    /// Whether that is for good.
    var isLast: Bool {
        switch self {
        case .healthy, .dead, .deadAndSilent: true
        default: false
        }
    }

    var description: String {
        switch self {
        case .healthy: "healthy"
        case .dead(let reason): "dead, and told: \(reason)"
        case .outcomeUnknown(true): "outcome unknown, the access token served"
        case .outcomeUnknown(false): "outcome unknown, the access token expired"
        case .failing: "healthy, the last refresh failed"
        case .notNoticed: "dead, and told at the next refresh"
        case .notSaved(true): "new pair in memory only, the old access token served"
        case .notSaved(false): "new pair in memory only and served"
        case .deadAndSilent: "DEAD AND SILENT"
        }
    }
}

extension ModelState {
    /// Set when nobody does anything for now.
    var end: End? {
        guard isQuiet else { return isUnsaved ? .notSaved(isServed: secondsLeft > 0) : nil }
        if let needed = account.tokens.signInNeeded { return .dead(needed.reason.rawValue) }
        if account.intent != nil { return .outcomeUnknown(isServed: secondsLeft > 0) }
        if isDead {
            let isSpent = server.isSpent(account.tokens.refreshToken?.text ?? "")
            return isSpent ? .deadAndSilent : .notNoticed
        }
        return account.health.failures == nil ? .healthy : .failing
    }

    private var isUnsaved: Bool {
        store.isFull && workers.contains(where: \.isKeeping)
    }
}
