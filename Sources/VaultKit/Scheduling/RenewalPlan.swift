internal import FoundationEssentials
internal import OAuth
internal import VaultCrypto
internal import VaultStore

/// What the plan of an account's next refresh follows from, besides its access token.
struct RenewalPlan {
    let policy: RenewalPolicy
    let provider: ProviderCatalogue.Entry?
    private let hasRefreshToken: Bool
    /// What is known of the refresh token's life; nil where there is no refresh token.
    let grant: GrantTimes?
    let account: AccountID

    init(
        _ settings: AccountSettings,
        grant: GrantTimes?,
        account: AccountID
    ) {
        policy = settings.renewal
        provider = settings.provider
        hasRefreshToken = settings.grantKind == .refreshToken
        self.grant = grant
        self.account = account
    }

    init(_ account: StoredAccount) {
        self.init(account.settings, grant: account.tokens.grant, account: account.id)
    }

    /// Seconds from when a token was obtained until its refresh is due; nil when none is planned.
    func delay(
        of token: StoredAccessToken,
        refreshIn: Double? = nil,
        generation: UInt64
    ) -> Double? {
        let keepAlive = keepAlive(generation)
        if policy == .manual { return keepAlive }
        let planned = RefreshSchedule.delay(
            lifetime: token.lifetime,
            refreshIn: refreshIn,
            provider: provider,
            isEager: policy == .eager,
            account: account,
            generation: generation
        )
        return min(planned, keepAlive ?? planned)
    }

    /// When the refresh token has to be used so that it does not lapse; nil when that is not known.
    ///
    /// Not within an hour of a failure: until then the time would be taken for a pause.
    static func keepAlive(of account: StoredAccount) -> Date? {
        guard let token = account.tokens.defaultToken,
            let delay = RenewalPlan(account).keepAlive(account.generation)
        else { return nil }
        let date = token.obtained.wall.addingTimeInterval(delay)
        guard let failed = account.health.failures?.at else { return date }
        return max(date, failed.addingTimeInterval(ClientState.longestPause + 2))
    }

    /// Seconds that a refresh token is left unused at most: half of what it lasts then.
    ///
    /// They count from when the access token was obtained, for that is when the refresh token was
    /// used. One whose end refreshing does not move is not kept alive by that.
    private func keepAlive(_ generation: UInt64) -> Double? {
        guard hasRefreshToken else { return nil }
        let limits = [provider?.refreshTokenIdleLifetime, grant?.lifetime]
        guard let limit = limits.compactMap({ $0 }).min() else { return nil }
        let latest = limit / 2 * (1 - RefreshSchedule.unit(account, generation) / 10)
        return max(latest, RefreshSchedule.shortestDelay)
    }
}
