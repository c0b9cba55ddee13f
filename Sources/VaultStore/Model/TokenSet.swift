package import FoundationEssentials
package import OAuth
package import Platform
package import VaultCrypto

/// The tokens of one generation of an account: sealed as one record.
package struct TokenSet: Sendable, Hashable {
    package var refreshToken: Secret?
    /// By scope and resource: the account's default, and those that were asked for beside it, the
    /// oldest first.
    package var accessTokens: [StoredAccessToken]
    /// The refresh token before this one, for a server that asks for it once more.
    package var previous: PreviousRefreshToken?
    /// Set once the grant is known to be dead; the tokens stay.
    package var signInNeeded: SignInNeeded?
    /// Set while the refresh token is not to be spent unasked; a new pair ends it.
    package var hold: Hold?
    /// Set while the server refuses this refresh token and does not say why.
    package var silentRefusals: SilentRefusals?
    /// Set while the first sending of an earlier refresh token may still be on its way.
    package var lateDuplicate: LateDuplicate?
    /// Answers in a row that left the refresh token as it was, up to `keptCounted`.
    package var timesKept: Int
    /// How long the grant lasts, as far as anybody said; nil of a record of an older program.
    package var grant: GrantTimes?

    /// Answers after which a refresh token counts as one that never changes.
    package static let keptCounted = 3

    package init(
        refreshToken: Secret?,
        accessTokens: [StoredAccessToken],
        previous: PreviousRefreshToken? = nil,
        signInNeeded: SignInNeeded? = nil,
        hold: Hold? = nil,
        silentRefusals: SilentRefusals? = nil,
        lateDuplicate: LateDuplicate? = nil,
        timesKept: Int = 0,
        grant: GrantTimes? = nil
    ) {
        self.refreshToken = refreshToken
        self.accessTokens = accessTokens
        self.previous = previous
        self.signInNeeded = signInNeeded
        self.hold = hold
        self.silentRefusals = silentRefusals
        self.lateDuplicate = lateDuplicate
        self.timesKept = timesKept
        self.grant = grant
    }

    /// The token handed out when nothing special is asked for.
    package var defaultToken: StoredAccessToken? { accessToken(for: nil) }

    /// The token that was asked for like this.
    package func accessToken(for request: AccessTokenRequest?) -> StoredAccessToken? {
        accessTokens.first { $0.requested == request }
    }
}

/// An access token and how long it lives.
package struct StoredAccessToken: Sendable, Hashable {
    package var value: Secret
    package var tokenType: String
    /// When the request that brought it was sent: its lifetime counts from there.
    package var obtained: Moment
    /// Seconds; nil when nobody said.
    package var lifetime: TimeInterval?
    /// Nil when the server granted what was asked for.
    package var grantedScope: Scope?
    /// What it was asked for; nil for the account's default token.
    package var requested: AccessTokenRequest?
    /// The generation it came with; nil for that of the record it is in.
    package var generation: UInt64?

    package init(
        value: Secret,
        tokenType: String,
        obtained: Moment,
        lifetime: TimeInterval?,
        grantedScope: Scope? = nil,
        requested: AccessTokenRequest? = nil,
        generation: UInt64? = nil
    ) {
        self.value = value
        self.tokenType = tokenType
        self.obtained = obtained
        self.lifetime = lifetime
        self.grantedScope = grantedScope
        self.requested = requested
        self.generation = generation
    }

    /// Whether no scope that was asked for is missing.
    package var grantsAll: Bool {
        guard let wanted = requested?.scope, let grantedScope else { return true }
        return grantedScope.isSuperset(of: wanted)
    }

    /// Seconds it is still valid for, negative once it is not; nil when unknown.
    package func secondsLeft(at now: Moment) -> TimeInterval? {
        lifetime.map { $0 - now.seconds(since: obtained) }
    }

    /// When it expires, on the wall clock as it stands now; nil when unknown.
    package func expiry(at now: Moment) -> Date? {
        secondsLeft(at: now).map { now.wall.addingTimeInterval($0) }
    }
}

/// A refresh token that was replaced, kept for a day.
package struct PreviousRefreshToken: Sendable, Hashable {
    package var value: Secret
    package var until: Date

    package init(value: Secret, until: Date) {
        self.value = value
        self.until = until
    }
}

/// Why only a person can go on.
package struct SignInNeeded: Sendable, Hashable {
    /// The reasons, by the names they are stored under.
    package enum Reason: String, Sendable {
        case grantRefused = "grant_refused"
        case interactionRequired = "interaction_required"
        case refusedWithoutReason = "refused_without_reason"
        case rotationLost = "rotation_lost"
        case noRefreshToken = "no_refresh_token"
        /// It is a token that is never renewed, and it expired.
        case tokenExpired = "token_expired"
        /// Somebody signed out, and its tokens are gone.
        case signedOut = "signed_out"
        /// It came from an old copy, and its successor exists.
        case staleCopy = "stale_copy"
        /// It was sent twice, and the server took up the first sending after the second.
        case lateDuplicate = "late_duplicate"
    }

    package var reason: Reason
    package var since: Date
    /// When the refresh token was first sent, and when once more: where two sendings are the reason.
    package var firstSent: Date?
    package var sentAgain: Date?

    package init(
        reason: Reason,
        since: Date,
        firstSent: Date? = nil,
        sentAgain: Date? = nil
    ) {
        self.reason = reason
        self.since = since
        self.firstSent = firstSent
        self.sentAgain = sentAgain
    }
}

extension SignInNeeded {
    /// Whether it is only the server's word that the grant is dead: that may be wrong for a while.
    package var isDoubtful: Bool {
        switch reason {
        case .grantRefused, .refusedWithoutReason, .interactionRequired, .rotationLost,
            .lateDuplicate:
            true
        case .noRefreshToken, .tokenExpired, .signedOut, .staleCopy: false
        }
    }
}

/// The same refusal without a reason, again and again.
package struct SilentRefusals: Sendable, Hashable {
    /// The status of the answers.
    package var status: Int
    package var count: Int
    /// When the first came.
    package var since: Moment

    package init(status: Int, count: Int, since: Moment) {
        self.status = status
        self.count = count
        self.since = since
    }
}

/// Two sendings of one refresh token, the second of which brought this pair.
package struct LateDuplicate: Sendable, Hashable {
    package var firstSent: Date
    package var sentAgain: Date

    package init(firstSent: Date, sentAgain: Date) {
        self.firstSent = firstSent
        self.sentAgain = sentAgain
    }
}

/// Why a refresh token is not spent unasked.
package struct Hold: Sendable, Hashable {
    /// The reasons, by the names they are stored under.
    package enum Reason: String, Sendable {
        /// It came back with an old copy of the vault, and its successor may exist.
        case restored
        /// It was handed to another vault, which spends it now.
        case moved

        /// The state of an account that is held for this.
        package var state: AccountState {
            switch self {
            case .restored: .verifyBeforeUse
            case .moved: .paused
            }
        }
    }

    package var reason: Reason
    package var since: Date

    package init(reason: Reason, since: Date) {
        self.reason = reason
        self.since = since
    }
}

/// The right to spend the refresh token of one generation, written down before it is sent.
package struct Intent: Sendable, Hashable {
    /// Keyed hash of the refresh token that is being spent.
    package var refreshTokenHash: [UInt8]
    package var claimed: Moment
    /// 1 for the first try of this generation; more after an answer was lost.
    package var attempt: Int
    /// When the first of these tries was claimed.
    package var first: Moment

    package init(
        refreshTokenHash: [UInt8],
        claimed: Moment,
        attempt: Int,
        first: Moment? = nil
    ) {
        self.refreshTokenHash = refreshTokenHash
        self.claimed = claimed
        self.attempt = attempt
        self.first = first ?? claimed
    }
}
