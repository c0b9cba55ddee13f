internal import FoundationEssentials
internal import Platform
internal import VaultCrypto
internal import VaultStore

/// How a claim ended, which the store did not take.
///
/// A refusal that is forgotten is asked for again by the next caller, and by each one after it.
struct UnwrittenEnd: Sendable {
    let claim: Claim
    let end: Abandonment

    /// Whether it still says anything: neither a newer pair nor a newer claim has to do with it.
    func concerns(_ account: StoredAccount) -> Bool {
        account.id == claim.account && account.generation == claim.generation
            && claim.isNewest(of: account)
    }

    /// The account as it would be, had the store taken it.
    func applied(to account: StoredAccount) -> StoredAccount {
        // That an old secret was refused says nothing of the one that was set since.
        let end = end.asSent(by: claim, account)
        var account = account
        account.health = end.health(of: account)
        account.tokens.signInNeeded = end.signInNeeded ?? account.tokens.signInNeeded
        return account
    }
}

/// The ends that this process could not write down: each is written, under its account's lock, before
/// anything more is sent for that account.
final class UnwrittenEnds: Sendable {
    private let ends = Locked<[AccountID: UnwrittenEnd]>([:])

    subscript(id: AccountID) -> UnwrittenEnd? {
        ends.withLock { $0[id] }
    }

    func keep(_ end: UnwrittenEnd) {
        ends.withLock { $0[end.claim.account] = end }
    }

    func forget(_ id: AccountID) {
        ends.withLock { $0[id] = nil }
    }
}

extension RefreshOperation {
    /// Writes down how an earlier claim ended, or says so where that is still not possible.
    func write(_ end: UnwrittenEnd, of account: StoredAccount) async -> RefreshResult? {
        do {
            if end.concerns(account) {
                try await environment.store.abandon(end.claim, as: end.end)
            }
            unwritten.forget(account.id)
            return nil
        } catch {
            let known = end.applied(to: account)
            let now = environment.clock.now()
            if let obstacle = known.obstacle(at: now, urgency: urgency) {
                return .known(.failed(obstacle, known))
            }
            return .ended(.failed(VaultError(error, account: account.name), account))
        }
    }

    /// Ends a claim, and keeps hold of how when the store does not take it: an intent that stayed by
    /// itself would say that an answer was lost.
    func end(_ claim: Claim, as end: Abandonment) async throws {
        do {
            try await environment.store.abandon(claim, as: end)
        } catch {
            unwritten.keep(UnwrittenEnd(claim: claim, end: end))
            throw error
        }
    }
}
