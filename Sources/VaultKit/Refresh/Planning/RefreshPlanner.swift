internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultStore

/// Decides each step of a refresh: pure, from what is stored, what came back, and the time.
///
/// `RefreshOperation` carries the steps out, and so does the state model of the tests, in every order
/// there is.
struct RefreshPlanner: Sendable {
    /// How much an asker passes over.
    enum Urgency: Int, Sendable, Comparable {
        /// A token is due, and nobody waits for it.
        case planned
        /// Somebody wants a token.
        case routine
        /// A person wants this very refresh: our own back-off does not count.
        case asked
        /// A person insists: neither a refused grant nor an open breaker counts.
        case forced

        static func < (left: Urgency, right: Urgency) -> Bool { left.rawValue < right.rawValue }
    }

    /// Seconds after which a claim is too old to send on: the process was stopped in between.
    private static let claimLife = 10.0
    /// Failures after which nobody counts any more.
    static let failuresCounted = 1_000_000

    /// The account as it is stored, read under its lock.
    let account: StoredAccount
    /// How its client fares.
    let client: ClientState
    let urgency: Urgency
    /// Whether this refresh was sent with the client's other secret already.
    var hasSwapped = false
    /// The access token to ask for; nil for the account's default.
    var request: AccessTokenRequest?

    /// How a refresh begins.
    enum Beginning: Sendable {
        /// The refresh token may be claimed, with what that takes of a breaker and of a limit.
        case claim(ClaimTurn)
        /// The limit of requests is used up for now. Nothing is written down: very many accounts may
        /// have to wait, each for a moment.
        case wait(VaultError)
        /// Nothing is sent. With a health, that is what is written down, or the queue would bring the
        /// account up at once again.
        case refuse(VaultError, postponing: StoredAccount.Health?)
    }

    /// Step 3: whether anything may be sent for the account as it is now.
    func begin(at now: Moment, random: Double) -> Beginning {
        if let obstacle = account.obstacle(at: now, urgency: urgency) {
            return .refuse(obstacle, postponing: account.end(at: now))
        }
        if let wait = waitForLostAnswer(at: now) {
            return postpone(.outcomeUnknown, .outcomeUnknown, by: wait, at: now)
        }
        if let pause = client.pause(at: now) {
            return postpone(.throttled, .backingOff, by: pause + random, at: now)
        }
        guard let breaker = client.breaker, urgency < .forced else { return claim(nil, at: now) }
        let wait = breaker.wait(for: account.id, at: now)
        guard wait > 0 else {
            let next = now.wall.addingTimeInterval(ClientState.tryInterval)
            return claim(BreakerTurn(due: breaker.nextTry, next: next), at: now)
        }
        // Spread, and ever more, or all would come for the one next try. When the breaker closes they
        // are called.
        let count = account.health.failures?.count ?? 0
        let spread = random * min(ClientState.tryInterval * Double(1 << min(count, 8)), 1800)
        switch breaker.reason {
        case .clientRefused:
            return postpone(.clientRefused, .clientRefused, by: wait + spread, at: now)
        case .massRefusal:
            return postpone(.massRefusal, .backingOff, by: wait + spread, at: now)
        }
    }

    /// With one of the requests that a limit allows, where there is one.
    private func claim(_ turn: BreakerTurn?, at now: Moment) -> Beginning {
        let isPlanned = urgency == .planned
        if let wait = client.limitWait(isPlanned: isPlanned, at: now.wall) {
            return .wait(error(.throttled, wait: wait))
        }
        let payment = client.limit.map { limit in
            RequestPayment(limit: limit, isPlanned: isPlanned, at: now.wall)
        }
        return .claim(ClaimTurn(breaker: turn, payment: payment))
    }

    private func error(_ code: VaultError.Code, wait: Double) -> VaultError {
        VaultError(
            code,
            account: account.name,
            facts: [
                .host: account.settings.refreshEndpoint.host,
                .retryAfter: "\(Int(wait.rounded(.up)))",
            ]
        )
    }

    /// Step 4: what is written down before the refresh token is sent.
    ///
    /// A claim that `startsOver` follows one that was not sent.
    func intent(refreshTokenHash: [UInt8], startsOver: Bool, at now: Moment) -> Intent {
        let known = account.intent?.attempt ?? 0
        return Intent(
            refreshTokenHash: refreshTokenHash,
            claimed: now,
            attempt: startsOver ? max(known, 1) : known + 1,
            first: account.intent?.first ?? now
        )
    }

    /// Step 5: whether a claim is still new enough to send on.
    static func maySend(_ intent: Intent, at now: Moment) -> Bool {
        now.seconds(since: intent.claimed) < claimLife
    }

    /// How a claim ends that was not sent: what was unknown before is unknown still, and nothing else.
    func withdrawal() -> Abandonment {
        var end = Abandonment(
            health: account.health,
            outcomeIsUnknown: account.intent != nil,
            silentRefusals: account.tokens.silentRefusals
        )
        end.keepsHealth = true
        return end
    }

    private func postpone(
        _ code: VaultError.Code,
        _ state: AccountState,
        by wait: Double,
        at now: Moment
    ) -> Beginning {
        // A refused grant stays one; its probe comes later.
        let isRefused = account.tokens.signInNeeded != nil
        let health = StoredAccount.Health(
            state: isRefused ? .signInNeeded : state,
            due: now.wall.addingTimeInterval(wait),
            failures: StoredAccount.Failures(
                count: min(account.health.failures?.count ?? 0, Self.failuresCounted) + 1,
                last: code.rawValue,
                at: now.wall
            )
        )
        return .refuse(error(code, wait: wait), postponing: health)
    }
}

extension ClientState {
    /// Seconds for which its host wants peace.
    ///
    /// No seal covers the time, and the wall clock may have been set back since: a pause that cannot
    /// have been asked for is passed over.
    func pause(at now: Moment) -> Double? {
        guard let pause = pausedUntil?.timeIntervalSince(now.wall), pause > 0,
            pause <= RefreshSchedule.longestPause + 1
        else { return nil }
        return pause
    }
}

extension ClientState.Breaker {
    /// Seconds until this account may try; the account that tried last lets another go first.
    func wait(for account: AccountID, at now: Moment) -> Double {
        let turns = lastTried == account ? 1.0 : 0
        let wait = nextTry.timeIntervalSince(now.wall) + turns * ClientState.tryInterval
        // The wall clock was set back since.
        return wait <= 2 * ClientState.tryInterval + 1 ? wait : 0
    }
}
