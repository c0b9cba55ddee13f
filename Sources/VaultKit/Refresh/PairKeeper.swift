internal import FoundationEssentials
internal import Platform
internal import VaultStore

/// Holds a pair, and the account's lock with it, until the store has taken it.
///
/// The refresh token that is stored is spent; this one exists nowhere else. It is never let go for
/// an error, however long the store refuses it.
struct PairKeeper: Sendable {
    let environment: RefreshEnvironment
    let pair: NewPair
    let claim: Claim
    let account: StoredAccount
    let lock: AccountLock

    /// Stores the pair; a first failure is tried once more before it is believed.
    func save() async -> RefreshResult {
        #if MUTANT_PUBLISH_BEFORE_INSTALL
        Task { await trySaving() }
        if pair.now < .distantFuture { return .ended(.refreshed(newAccount)) }
        #endif
        for _ in 1...2 {
            if let outcome = await trySaving() { return .ended(outcome) }
        }
        return .unsaved(.notSaved(old: account, new: newAccount), self)
    }

    /// Goes on until the pair is stored, and gives the account's lock back.
    func keepSaving() async -> RefreshOutcome {
        // Before the next flight of the account may start: it would be granted the same lock, and
        // lose it with ours.
        defer { lock.release() }
        var wait = 0.05
        while true {
            // Cancelling this would drop the pair, so nobody can.
            try? await environment.clock.sleep(seconds: wait)
            if let outcome = await trySaving() { return outcome }
            wait = min(wait * 2, 30)
        }
    }

    /// One attempt; nil when the pair is not stored.
    private func trySaving() async -> RefreshOutcome? {
        do {
            switch try await environment.store.install(pair, for: claim) {
            case .installed:
                await environment.faults.reached(.installed)
                return .refreshed(newAccount)
            case .superseded:
                return await superseded()
            }
        } catch {
            // If it was stored all the same, the next try says so.
            return nil
        }
    }

    private func superseded() async -> RefreshOutcome {
        do {
            guard let now = try await environment.store.account(claim.account) else {
                return .failed(VaultError(.noSuchAccount, account: account.name), nil)
            }
            return .adopted(now)
        } catch {
            return .failed(VaultError(error, account: account.name), nil)
        }
    }

    /// The account as it is once the pair is stored.
    private var newAccount: StoredAccount {
        var new = account
        new.generation = claim.generation + 1
        new.tokens = pair.tokens
        new.intent = nil
        new.health = StoredAccount.Health(state: .active, due: pair.due)
        return new
    }
}
