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
    /// Numbers of the account that are locked before giving up.
    private static let lockTries = 3
    /// Claims made before giving up on a machine that stops all the time.
    private static let claimTries = 3

    let environment: RefreshEnvironment
    /// The account as it was when its token was found to be no longer good enough.
    let stale: StoredAccount
    /// How earlier claims ended that the store did not take.
    let unwritten: UnwrittenEnds
    /// The access token to ask for; nil for the account's default.
    var request: AccessTokenRequest?
    /// How much whoever asks passes over.
    let urgency: RefreshPlanner.Urgency
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

    /// What was done before a refresh started over.
    private struct Past {
        /// A claim that was not sent counts no second time.
        var hasClaimed = false
        /// The client's other secret is tried once.
        var hasSwapped = false
    }

    /// Step 3: what is stored now; nil when the lock is not the account's any more.
    private func refresh(_ number: Int64, under lock: AccountLock) async throws -> RefreshResult? {
        var past = Past()
        for _ in 1...Self.claimTries {
            var account = try await current()
            guard account.number == number else { return nil }
            if let end = unwritten[account.id] {
                if let result = await write(end, of: account) { return result }
                past.hasSwapped = past.hasSwapped || end.end.swapsSecret
                account = try await current()
            }
            let result = try await refresh(account, under: lock, &past)
            if let result { return result }
        }
        if let moved = movedOn(try await current()) { return .ended(moved) }
        throw busy("stopped")
    }

    private func busy(_ reason: String) -> VaultError {
        VaultError(.busy, account: stale.name, facts: [.reason: reason])
    }

    /// The account as it is stored now.
    ///
    /// Asked for by its identifier: another may have its name by now, and the lock is not that one's.
    func current() async throws -> StoredAccount {
        guard let account = try await environment.store.account(stale.id) else {
            throw VaultError(.noSuchAccount, account: stale.name)
        }
        return account
    }

    private func refuseWhenClosed() throws(VaultError) {
        if isClosed() { throw VaultError(.closed, account: stale.name) }
    }

    /// Steps 3 to 8, under the account's lock; nil when it is to start over.
    private func refresh(
        _ account: StoredAccount,
        under lock: AccountLock,
        _ past: inout Past
    ) async throws -> RefreshResult? {
        if let moved = movedOn(account) { return .ended(moved) }
        var planner = RefreshPlanner(
            account: account,
            client: try await environment.store.clientState(of: account),
            urgency: urgency
        )
        planner.request = request
        planner.hasSwapped = past.hasSwapped
        let now = environment.clock.now()
        switch planner.begin(at: now, random: environment.random()) {
        case .refuse(let error, let health):
            if let health {
                do {
                    try await environment.store.postpone(account, as: health, at: now.wall)
                } catch StoreError.superseded {
                    // Its client was mended, or it was signed in again, since it was read.
                    return nil
                }
            }
            return .ended(.failed(error, account))
        case .wait(let error): return .known(.failed(error, account))
        case .claim(let turn):
            guard account.isRenewable else { return nil }
            return try await claim(account.tokens.refreshToken, turn, planner, &past, lock)
        }
    }

    /// Steps 4 and 5: the intent, durable and still new when the request is sent.
    ///
    /// Without a refresh token it is the claim alone that keeps a second request from being sent.
    private func claim(
        _ refreshToken: Secret?,
        _ turn: ClaimTurn,
        _ planner: RefreshPlanner,
        _ past: inout Past,
        _ lock: AccountLock
    ) async throws -> RefreshResult? {
        let store = environment.store
        let intent = planner.intent(
            refreshTokenHash: try await store.spentTokenHash(of: refreshToken ?? Secret("")),
            startsOver: past.hasClaimed,
            at: environment.clock.now()
        )
        // Whoever closes the vault waits for what was sent, not for what could have been.
        try refuseWhenClosed()
        let claim: Claim
        do {
            claim = try await store.claim(planner.account, intent: intent, turn: turn)
        } catch StoreError.superseded {
            // Signed in again, or under another number, or its turn was taken since it was read.
            return nil
        }
        past.hasClaimed = true
        await environment.faults.reached(.claimed)
        guard RefreshPlanner.maySend(intent, at: environment.clock.now()) else {
            try await end(claim, as: planner.withdrawal())
            return nil
        }
        let refresh = ClaimedRefresh(planner: planner, intent: intent, claim: claim, lock: lock)
        return try await send(refreshToken, refresh, &past)
    }

    /// A refresh whose intent is durable.
    struct ClaimedRefresh {
        let planner: RefreshPlanner
        let intent: Intent
        let claim: Claim
        let lock: AccountLock

        var account: StoredAccount { planner.account }
    }

    /// Steps 6 and 7: one request, and its answer read for all that is in it.
    ///
    /// Nil when it is to be sent once more: with the client's other secret, or another refresh token.
    private func send(
        _ refreshToken: Secret?,
        _ refresh: ClaimedRefresh,
        _ past: inout Past
    ) async throws -> RefreshResult? {
        let sent = environment.clock.now()
        let answer = await answer(to: refreshToken, of: refresh.account, sent: sent)
        let conclusion = refresh.planner.conclude(
            answer,
            to: refresh.intent,
            sent: sent,
            at: environment.clock.now(),
            random: environment.random()
        )
        switch conclusion {
        case .install(let pair):
            return await install(pair, refresh)
        case .rescue(let pair, let end, let error):
            return await fail(await install(pair, refresh), error, as: end)
        case .abandon(let end, let error):
            return await abandon(refresh, error, as: end)
        case .swapSecret(let end):
            past.hasSwapped = true
            try await self.end(refresh.claim, as: end)
            return nil
        }
    }

    private func answer(
        to refreshToken: Secret?,
        of account: StoredAccount,
        sent: Moment
    ) async -> RefreshAnswer {
        let request = account.settings.refreshRequest(
            refreshToken,
            scope: request?.scope,
            resource: request?.resource
        )
        do throws(HTTPTransportError) {
            let response = try await environment.transport.send(request)
            await environment.faults.reached(.answered)
            return .answered(
                account.settings.answerReader
                    .read(response, countingFrom: sent.wall, presented: refreshToken)
            )
        } catch {
            return .failed(error)
        }
    }

    /// The account's generation does not tell: it grows with every token, whatever was asked for.
    func movedOn(_ account: StoredAccount) -> RefreshOutcome? {
        guard let found = account.generation(of: request) else { return nil }
        let known = stale.generation(of: request) ?? stale.generation
        return found > known ? .adopted(account) : nil
    }
}
