internal import FoundationEssentials
internal import Platform
internal import VaultStore

/// How a claim ended, which the store did not take.
///
/// A refusal that is forgotten is asked for again by the next caller, and by each one after it.
struct UnwrittenEnd: Sendable {
    let claim: Claim
    let end: Abandonment

    /// Whether it still says anything: a newer pair has nothing to do with it.
    func concerns(_ account: StoredAccount) -> Bool {
        account.id == claim.account && account.generation == claim.generation
    }

    /// The account as it would be, had the store taken it.
    func applied(to account: StoredAccount) -> StoredAccount {
        var account = account
        account.health = end.health(of: account)
        account.tokens.signInNeeded = end.signInNeeded ?? account.tokens.signInNeeded
        return account
    }
}
