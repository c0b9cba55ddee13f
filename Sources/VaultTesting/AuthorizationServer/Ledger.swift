public import VaultCrypto

/// Every grant and token of a test authorization server, and the rules they live by.
///
/// A value without clock, sockets or randomness: the time is an argument, and names come from
/// `TokenMint`. What it counts is what the tests ask about.
public struct Ledger: Sendable {
    /// What happened so far.
    public internal(set) var counters = Counters()

    let profile: RotationProfile
    let refreshTokenLifetime: Double?
    var mint: TokenMint
    private(set) var grants: [LedgerGrant] = []
    private var grantOfRefreshToken: [Secret: Int] = [:]
    private var accessTokens: [Secret: AccessToken] = [:]
    private var codes: [Secret: AuthorizationCode] = [:]
    var devices: [Secret: DeviceRequest] = [:]

    private struct AccessToken {
        let grant: Int
        let pair: TokenPair
        var isRevoked = false
    }

    private struct AuthorizationCode {
        let request: CodeRequest
        let end: Double
        /// The grant it was exchanged for.
        var grant: Int?
    }

    /// Seconds a code lives (RFC 6749 §4.1.2 wants ten minutes at most).
    private static let codeLifetime = 60.0

    init(profile: RotationProfile, refreshTokenLifetime: Double? = nil, mint: TokenMint) {
        self.profile = profile
        self.refreshTokenLifetime = refreshTokenLifetime
        self.mint = mint
    }

    /// Grants that still give tokens.
    public var grantsAlive: Int { grants.count - grantsRevoked }

    /// Grants that were revoked, by request or because a token was used again.
    public var grantsRevoked: Int { grants.count { $0.isRevoked } }

    /// The pair last given to a subject, by its latest grant.
    public func currentPair(of subject: String) -> TokenPair? {
        grants.last { $0.subject == subject }.map { $0.pending.last ?? $0.current }
    }

    /// Whether this refresh token would be accepted now.
    public func accepts(refreshToken: Secret, now: Double) -> Bool {
        guard let number = grantOfRefreshToken[refreshToken] else { return false }
        let grant = grants[number]
        return !grant.isRevoked && !isExpired(grant, now: now)
            && grant.standing(of: refreshToken, profile: profile, now: now) != .spent
    }

    // MARK: - Granting

    /// A new grant and its first pair.
    mutating func issue(subject: String, client: String, scope: String, now: Double) -> TokenPair {
        let pair = mint.pair(subject: subject, client: client, scope: scope, now: now)
        grants.append(LedgerGrant(client: client, scope: scope, current: pair, usedAt: now))
        record(pair, of: grants.count - 1)
        return pair
    }

    /// An authorization code for what the resource owner has consented to.
    mutating func makeCode(for request: CodeRequest, now: Double) -> Secret {
        let code = mint.code()
        codes[code] = AuthorizationCode(request: request, end: now + Self.codeLifetime)
        return code
    }

    /// Exchanges a code, once.
    ///
    /// A code used again revokes what it gave (RFC 6749 §4.1.2).
    mutating func exchange(
        _ code: Secret,
        verifier: String,
        redirectURI: String,
        client: String,
        now: Double
    ) throws(LedgerRefusal) -> TokenPair {
        guard let found = codes[code], found.request.client == client else { throw .invalidGrant }
        if let grant = found.grant {
            counters.codeReuseDetections += 1
            grants[grant].isRevoked = true
            throw .invalidGrant
        }
        guard now < found.end, found.request.redirectURI == redirectURI,
            found.request.challenge == ProofKeyCheck.challenge(of: verifier)
        else { throw .invalidGrant }
        codes[code]?.grant = grants.count
        return issue(
            subject: found.request.subject,
            client: client,
            scope: found.request.scope,
            now: now
        )
    }

    // MARK: - Refreshing

    /// Spends a refresh token as the profile says.
    mutating func refresh(
        _ token: Secret,
        client: String,
        scope: String?,
        now: Double
    ) throws(LedgerRefusal) -> TokenPair {
        guard let number = grantOfRefreshToken[token] else { throw .invalidGrant }
        let grant = grants[number]
        guard grant.client == client, !grant.isRevoked, !isExpired(grant, now: now) else {
            throw .invalidGrant
        }
        let wanted = scope ?? grant.scope
        guard Self.words(wanted).isSubset(of: Self.words(grant.scope)) else { throw .invalidScope }
        switch grant.standing(of: token, profile: profile, now: now) {
        case .spent:
            detectReuse(of: number)
            throw .invalidGrant
        case .previous:
            grants[number].previous?.isTakenAgain = true
            count(refreshOf: number, now: now)
            return grant.current
        case .pending:
            acknowledge(token, of: number)
        case .current:
            break
        }
        count(refreshOf: number, now: now)
        return rotate(number, scope: wanted, now: now)
    }

    private mutating func rotate(_ number: Int, scope: String, now: Double) -> TokenPair {
        let grant = grants[number]
        let old = grant.current.refreshToken
        let pair = mint.pair(
            subject: grant.subject,
            client: grant.client,
            scope: scope,
            refreshToken: profile == .none ? old : nil,
            now: now
        )
        if profile == .ackOnUse {
            grants[number].pending.append(pair)
        } else {
            grants[number].previous = LedgerGrant.Previous(token: old, spentAt: now)
            grants[number].current = pair
        }
        record(pair, of: number)
        return pair
    }

    private mutating func detectReuse(of number: Int) {
        switch profile {
        case .strict, .grace, .graceOnce:
            counters.reuseDetections += 1
            grants[number].isRevoked = true
        case .none, .ackOnUse:
            break
        }
    }

    private mutating func acknowledge(_ token: Secret, of number: Int) {
        let taken = grants[number].pending.first {
            $0.refreshToken == token || $0.accessToken == token
        }
        guard let taken else { return }
        grants[number].current = taken
        grants[number].pending = []
    }

    private func isExpired(_ grant: LedgerGrant, now: Double) -> Bool {
        refreshTokenLifetime.map { now >= grant.usedAt + $0 } ?? false
    }

    private mutating func record(_ pair: TokenPair, of number: Int) {
        grantOfRefreshToken[pair.refreshToken] = number
        accessTokens[pair.accessToken] = AccessToken(grant: number, pair: pair)
    }

    private mutating func count(refreshOf number: Int, now: Double) {
        grants[number].usedAt = now
        grants[number].refreshes += 1
        counters.refreshesPerSubject[grants[number].subject, default: 0] += 1
    }

    private static func words(_ scope: String) -> Set<Substring> {
        Set(scope.split(separator: " "))
    }

    // MARK: - Using and revoking

    /// The pair an access token is of, when the protected resource accepts it.
    mutating func present(_ token: Secret, now: Double) -> TokenPair? {
        guard let found = accessTokens[token], !found.isRevoked, now < found.pair.expiry,
            !grants[found.grant].isRevoked
        else {
            counters.apiRefused += 1
            return nil
        }
        counters.apiAccepted += 1
        acknowledge(token, of: found.grant)
        return found.pair
    }

    /// Revokes an access token, or with a refresh token the whole grant (RFC 7009 §2.1).
    mutating func revoke(_ token: Secret, client: String) {
        counters.revocations += 1
        if let number = grantOfRefreshToken[token], grants[number].client == client {
            grants[number].isRevoked = true
        } else if let found = accessTokens[token], grants[found.grant].client == client {
            accessTokens[token]?.isRevoked = true
        }
    }
}
