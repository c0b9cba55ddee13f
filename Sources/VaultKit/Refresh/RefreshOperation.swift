internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultCrypto
internal import VaultStore

/// One refresh of one account, from the lock to the commit: the steps of the protocol in their
/// order.
///
/// Whatever happens, the rules are these. Nothing is sent without a durable intent, and it is sent
/// once. Nothing that came back is dropped. No error erases a token. Nobody sees a new token before
/// it is stored, except when the store refuses to take it.
struct RefreshOperation: Sendable {
    /// Seconds to wait for another process that holds the account: longer than a request may take.
    private static let lockLimit = RefreshSchedule.longestRefresh
    /// Seconds after which a claim is too old to send on: the process was stopped in between.
    private static let claimLife = 10.0
    /// Numbers of the account that are locked before giving up.
    private static let lockTries = 3
    /// Claims made before giving up on a machine that stops all the time.
    private static let claimTries = 3

    let environment: RefreshEnvironment
    /// The account as it was when its token was found to be no longer good enough.
    let stale: StoredAccount
    /// Whether somebody asked for this very refresh, passing over the back-off.
    let isForced: Bool
    /// Whether nothing new is to be sent any more.
    let isClosed: @Sendable () -> Bool

    func run() async -> RefreshResult {
        do {
            return try await lockAndRefresh()
        } catch {
            return .ended(.failed(VaultError(error, account: stale.name), nil))
        }
    }

    /// Step 2: the lock of the account, which may get another number until it is there: when it was
    /// removed and imported again, or restored.
    private func lockAndRefresh() async throws -> RefreshResult {
        var number = stale.number
        for _ in 1...Self.lockTries {
            let acquisition = try await AccountLock.acquire(
                account: number,
                in: environment.lockFile,
                limit: Self.lockLimit,
                clock: environment.clock
            ) {
                try refuseWhenClosed()
                return try await movedOn(current())
            }
            switch acquisition {
            case .notNeeded(let outcome): return .ended(outcome)
            case nil: throw busy("account_lock")
            case .acquired(let lock):
                defer { withExtendedLifetime(lock) {} }
                if let result = try await refresh(number, under: lock) { return result }
                lock.release()
            }
            number = try await current().number
        }
        throw busy("account_lock")
    }

    /// Step 3: what is stored now; nil when the lock is not the account's any more.
    private func refresh(_ number: Int64, under lock: AccountLock) async throws -> RefreshResult? {
        for attempt in 1...Self.claimTries {
            let account = try await current()
            guard account.number == number else { return nil }
            let result = try await refresh(account, under: lock, startsOver: attempt > 1)
            if let result { return result }
        }
        throw busy("stopped")
    }

    private func busy(_ reason: String) -> VaultError {
        VaultError(.busy, account: stale.name, facts: [.reason: reason])
    }

    /// The account as it is stored now.
    ///
    /// Asked for by its identifier: another may have its name by now, and the lock is not that one's.
    private func current() async throws -> StoredAccount {
        guard let account = try await environment.store.account(stale.id) else {
            throw VaultError(.noSuchAccount, account: stale.name)
        }
        return account
    }

    private func refuseWhenClosed() throws(VaultError) {
        if isClosed() { throw VaultError(.closed, account: stale.name) }
    }

    /// Steps 3 to 8, under the account's lock; nil when the claim did not come to be used.
    private func refresh(
        _ account: StoredAccount,
        under lock: AccountLock,
        startsOver: Bool
    ) async throws -> RefreshResult? {
        if let moved = movedOn(account) { return .ended(moved) }
        let obstacle = account.obstacle(at: environment.clock.now(), isForced: isForced)
        guard obstacle == nil, let refreshToken = account.tokens.refreshToken else {
            let error = obstacle ?? VaultError(.signInNeeded, account: account.name)
            return .ended(.failed(error, account))
        }
        let hash = try await environment.store.spentTokenHash(of: refreshToken)
        let known = account.intent?.attempt ?? 0
        let intent = Intent(
            refreshTokenHash: hash,
            claimed: environment.clock.now(),
            // The claim that grew old was not sent.
            attempt: startsOver ? max(known, 1) : known + 1
        )
        // Whoever closes the vault waits for what was sent, not for what could have been.
        try refuseWhenClosed()
        let claim: Claim
        do {
            claim = try await environment.store.claim(account, intent: intent)
        } catch StoreError.superseded {
            // Signed in again, or under another number, since it was read.
            return nil
        }
        await environment.faults.reached(.claimed)
        let age = environment.clock.now().seconds(since: intent.claimed)
        guard age < Self.claimLife else {
            // Not sent: what was unknown before the claim is unknown still, and nothing else is.
            let asBefore = Abandonment(health: account.health, outcomeIsUnknown: known > 0)
            try await environment.store.abandon(claim, as: asBefore)
            return nil
        }
        return await send(
            refreshToken,
            hash: hash,
            for: claim,
            of: account,
            attempt: intent.attempt,
            lock
        )
    }

    /// Steps 6 and 7: one request, and its answer read for all that is in it.
    private func send(
        _ refreshToken: Secret,
        hash: [UInt8],
        for claim: Claim,
        of account: StoredAccount,
        attempt: Int,
        _ lock: AccountLock
    ) async -> RefreshResult {
        let settings = account.settings
        let request = TokenRequest.refresh(
            refreshToken,
            client: settings.client,
            endpoint: settings.tokenEndpoint
        )
        let sent = environment.clock.now()
        let host = settings.tokenEndpoint.host
        do throws(HTTPTransportError) {
            let response = try await environment.transport.send(request)
            await environment.faults.reached(.answered)
            let now = environment.clock.now()
            let answer = TokenResponseReader(grantType: .refreshToken)
                .read(response, countingFrom: sent.wall, presented: refreshToken)
            switch answer {
            case .granted(let granted):
                let pair = RefreshReading.pair(
                    granted,
                    for: account,
                    spentTokenHash: hash,
                    sent: sent,
                    now: now
                )
                return await install(pair, for: claim, of: account, lock)
            case .refused(let error):
                let failure = RefreshFailure(
                    error,
                    host: host,
                    attempt: attempt,
                    isStale: account.health.state == .verifyBeforeUse
                )
                let rescued = RefreshReading.pair(
                    refreshTokenOf: error,
                    for: account,
                    spentTokenHash: hash,
                    now: now
                )
                if let rescued {
                    let result = await install(rescued, for: claim, of: account, lock)
                    return await fail(result, of: account, for: failure)
                }
                return await abandon(claim, of: account, for: failure)
            }
        } catch {
            return await abandon(
                claim,
                of: account,
                for: RefreshFailure(error, host: host, attempt: attempt)
            )
        }
    }

    /// Step 8: store the pair, or keep hold of it until the store takes it.
    private func install(
        _ pair: NewPair,
        for claim: Claim,
        of account: StoredAccount,
        _ lock: AccountLock
    ) async -> RefreshResult {
        await environment.faults.reached(.installing)
        let keeper = PairKeeper(
            environment: environment,
            pair: pair,
            claim: claim,
            account: account,
            lock: lock
        )
        #if MUTANT_UNLOCK_BEFORE_COMMIT
        lock.release()
        #endif
        return await keeper.save()
    }

    /// That no access token came is a failure, although a refresh token came and is stored.
    private func fail(
        _ result: RefreshResult,
        of account: StoredAccount,
        for failure: RefreshFailure
    ) async -> RefreshResult {
        guard case .ended(.refreshed(let new)) = result else { return result }
        let now = environment.clock.now()
        var abandonment = RefreshReading.abandonment(
            of: failure,
            account: account,
            now: now,
            random: environment.random()
        )
        // The token that is stored now was never sent.
        abandonment.outcomeIsUnknown = false
        let error = failure.error.about(account.name)
        do {
            let store = environment.store
            let hash = try await store.spentTokenHash(of: new.tokens.refreshToken ?? Secret(""))
            let intent = Intent(refreshTokenHash: hash, claimed: now, attempt: 1)
            try await store.abandon(store.claim(new, intent: intent), as: abandonment)
            return .ended(.failed(error, try await current()))
        } catch _ {
            // Without its back-off the next caller asks at once: nothing is lost.
            return .ended(.failed(error, new))
        }
    }

    private func abandon(
        _ claim: Claim,
        of account: StoredAccount,
        for failure: RefreshFailure
    ) async -> RefreshResult {
        let error = failure.error.about(account.name)
        let abandonment = RefreshReading.abandonment(
            of: failure,
            account: account,
            now: environment.clock.now(),
            random: environment.random()
        )
        do {
            try await environment.store.abandon(claim, as: abandonment)
            let now = try await current()
            // Permanent or not: if the account has moved on meanwhile, what is stored now counts.
            if let moved = movedOn(now) { return .ended(moved) }
            return .ended(.failed(error, now))
        } catch let gone as VaultError where gone.code == .noSuchAccount {
            return .ended(.failed(gone, nil))
        } catch {
            // The intent is still there and says that the outcome is unknown, which is the safe side.
            return .ended(.failed(failure.error.about(account.name), account))
        }
    }

    /// Set when a newer pair is stored than the one to be replaced.
    private func movedOn(_ account: StoredAccount) -> RefreshOutcome? {
        account.generation > stale.generation ? .adopted(account) : nil
    }
}
