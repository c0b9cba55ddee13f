internal import Platform
internal import VaultCrypto
internal import VaultStore

/// The end of a refresh that was sent: its pair is stored, or how it failed is.
extension RefreshOperation {
    /// Step 8: store the pair, or keep hold of it until the store takes it.
    func install(_ pair: NewPair, _ refresh: ClaimedRefresh) async -> RefreshResult {
        await environment.faults.reached(.installing)
        let keeper = PairKeeper(
            environment: environment,
            pair: pair,
            claim: refresh.claim,
            account: refresh.account,
            lock: refresh.lock
        )
        #if MUTANT_UNLOCK_BEFORE_COMMIT
        refresh.lock.release()
        #endif
        return await keeper.save()
    }

    /// That no access token came is a failure, although a refresh token came and is stored.
    func fail(
        _ result: RefreshResult,
        _ error: VaultError,
        as end: Abandonment
    ) async -> RefreshResult {
        guard case .ended(.refreshed(let new)) = result else { return result }
        do {
            let store = environment.store
            let hash = try await store.spentTokenHash(of: new.tokens.refreshToken ?? Secret(""))
            let intent = Intent(
                refreshTokenHash: hash,
                claimed: environment.clock.now(),
                attempt: 1
            )
            try await self.end(store.claim(new, intent: intent), as: end)
            return .ended(.failed(error, try await current()))
        } catch _ {
            // Without its back-off the next caller asks at once: nothing is lost.
            return .ended(.failed(error, new))
        }
    }

    /// The claim ends without a pair.
    ///
    /// Nil when the account has moved on, and brought nothing of what was asked for.
    func abandon(
        _ refresh: ClaimedRefresh,
        _ error: VaultError,
        as end: Abandonment
    ) async -> RefreshResult? {
        do {
            try await self.end(refresh.claim, as: end)
            let now = try await current()
            // Permanent or not: if the account has moved on meanwhile, what is stored now counts.
            if let moved = movedOn(now) { return .ended(moved) }
            guard now.generation == refresh.account.generation else { return nil }
            // The store may have had its doubts about a refusal.
            let isDoubted = end.signInNeeded != nil && now.tokens.signInNeeded == nil
            return .ended(.failed(isDoubted ? error.doubted : error, now))
        } catch let gone as VaultError where gone.code == .noSuchAccount {
            return .ended(.failed(gone, nil))
        } catch _ {
            // To other processes the intent says that the outcome is unknown: the safe side.
            return .ended(.failed(error, refresh.account))
        }
    }

    /// Set when a newer token is stored than the one to be replaced.
    ///
}
