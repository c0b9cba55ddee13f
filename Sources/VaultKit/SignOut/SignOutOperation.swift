internal import OAuth
internal import Platform
internal import VaultCrypto
internal import VaultStore

/// Signing out of one account, under its lock: nobody spends its refresh token meanwhile.
struct SignOutOperation: Sendable {
    let environment: RefreshEnvironment
    let store: SQLiteStore
    let isKept: Bool
    let isForced: Bool

    /// What there is afterwards.
    struct End: Sendable {
        /// The account, where it is kept.
        let kept: StoredAccount?
        let failure: VaultError?
        /// What those are told who waited for a token.
        let outcome: RefreshOutcome
    }

    func run(_ known: StoredAccount) async throws -> End {
        let acquisition = try await AccountLock.acquire(
            account: known.number,
            in: environment.lockFile,
            limit: RefreshSchedule.longestRefresh,
            clock: environment.clock
        ) { () -> Never? in nil }
        guard case .acquired(let lock) = acquisition else {
            throw VaultError(.busy, account: known.name, facts: [.reason: "account_lock"])
        }
        defer { lock.release() }
        // Another process may have refreshed it, or removed it, while this one waited.
        guard let account = try store.account(known.id), account.number == known.number else {
            throw VaultError(.noSuchAccount, account: known.name)
        }
        let failure = await Revoker(transport: environment.transport, clock: environment.clock)
            .revoke(account.tokens, of: account.settings)
        if let failure, !isForced { throw failure }
        return try await letGo(of: account, failure)
    }

    /// Of an account that was signed in to meanwhile nothing is taken: its grant is another.
    private func letGo(of account: StoredAccount, _ failure: VaultError?) async throws -> End {
        let now = environment.clock.now().wall
        do {
            guard isKept else {
                try await remove(account)
                let gone = VaultError(.noSuchAccount, account: account.name)
                return End(kept: nil, failure: failure, outcome: .failed(gone, nil))
            }
            let kept = try await store.endGrant(of: account, at: now)
            let needed = VaultError(
                .signInNeeded,
                account: account.name,
                facts: [.reason: SignInNeeded.Reason.signedOut.rawValue]
            )
            return End(kept: kept, failure: failure, outcome: .failed(needed, kept))
        } catch StoreError.grantAlive, StoreError.superseded {
            throw VaultError(.busy, account: account.name, facts: [.reason: "signed_in"])
        }
    }

    /// Removes the account, whatever it is called by now.
    private func remove(_ account: StoredAccount) async throws {
        var name = account.name
        while true {
            do {
                return try await store.remove(name) { stored in
                    stored.id == account.id && stored.generation == account.generation
                }
            } catch {
                guard let now = try store.account(account.id)?.name, now != name else {
                    throw error
                }
                name = now
            }
        }
    }
}
