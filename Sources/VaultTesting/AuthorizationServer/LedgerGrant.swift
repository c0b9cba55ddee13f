internal import VaultCrypto

/// What one resource owner allowed one client, with the tokens in force.
struct LedgerGrant: Sendable {
    struct Previous: Sendable {
        let token: Secret
        let spentAt: Double
        /// Whether it was taken once more already.
        var isTakenAgain = false
    }

    /// What a refresh token of the grant counts as.
    enum Standing: Sendable {
        case current
        /// Used, and still within its grace period.
        case previous
        /// Given, and neither it nor its access token used yet.
        case pending
        case spent
    }

    let client: String
    let scope: String
    var current: TokenPair
    var previous: Previous?
    var pending: [TokenPair] = []
    /// When it was issued or last refreshed.
    var usedAt: Double
    var isRevoked = false
    /// Times it was refreshed.
    var refreshes = 0

    init(client: String, scope: String, current: TokenPair, usedAt: Double) {
        self.client = client
        self.scope = scope
        self.current = current
        self.usedAt = usedAt
    }

    var subject: String { current.subject }

    func standing(of token: Secret, profile: RotationProfile, now: Double) -> Standing {
        if token == current.refreshToken { return .current }
        if pending.contains(where: { $0.refreshToken == token }) { return .pending }
        guard let grace = profile.grace, let previous, previous.token == token,
            now <= previous.spentAt + grace
        else { return .spent }
        if case .graceOnce = profile, previous.isTakenAgain { return .spent }
        return .previous
    }
}

/// What an authorization code stands for.
struct CodeRequest: Sendable {
    let subject: String
    let client: String
    let redirectURI: String
    let scope: String
    /// The S256 code challenge (RFC 7636 §4.2).
    let challenge: String
}

/// Why the ledger gives no tokens.
enum LedgerRefusal: String, Error, Sendable {
    case invalidGrant = "invalid_grant"
    case invalidScope = "invalid_scope"
    case authorizationPending = "authorization_pending"
    case slowDown = "slow_down"
    case expiredToken = "expired_token"
    case accessDenied = "access_denied"
}
