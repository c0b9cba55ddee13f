package import FoundationEssentials
package import OAuth
package import Platform
package import VaultCrypto

/// The tokens of one generation of an account: sealed as one record.
package struct TokenSet: Sendable, Hashable {
    package var refreshToken: Secret?
    /// By scope and resource; the first is the account's default.
    package var accessTokens: [StoredAccessToken]
    /// The refresh token before this one, for a server that asks for it once more.
    package var previous: PreviousRefreshToken?
    /// Set once the grant is known to be dead; the tokens stay.
    package var signInNeeded: SignInNeeded?
    /// Set while the refresh token is not to be spent unasked; a new pair ends it.
    package var hold: Hold?

    package init(
        refreshToken: Secret?,
        accessTokens: [StoredAccessToken],
        previous: PreviousRefreshToken? = nil,
        signInNeeded: SignInNeeded? = nil,
        hold: Hold? = nil
    ) {
        self.refreshToken = refreshToken
        self.accessTokens = accessTokens
        self.previous = previous
        self.signInNeeded = signInNeeded
        self.hold = hold
    }

    /// The token handed out when nothing special is asked for.
    package var defaultToken: StoredAccessToken? { accessTokens.first }
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

    package init(
        value: Secret,
        tokenType: String,
        obtained: Moment,
        lifetime: TimeInterval?,
        grantedScope: Scope? = nil
    ) {
        self.value = value
        self.tokenType = tokenType
        self.obtained = obtained
        self.lifetime = lifetime
        self.grantedScope = grantedScope
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
        /// It came from an old copy, and its successor exists.
        case staleCopy = "stale_copy"
    }

    package var reason: Reason
    package var since: Date

    package init(reason: Reason, since: Date) {
        self.reason = reason
        self.since = since
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

    package init(refreshTokenHash: [UInt8], claimed: Moment, attempt: Int) {
        self.refreshTokenHash = refreshTokenHash
        self.claimed = claimed
        self.attempt = attempt
    }
}
