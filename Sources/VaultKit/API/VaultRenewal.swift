internal import FoundationEssentials
public import VaultStore

extension Vault {
    /// Changes when an account is renewed in the background.
    ///
    /// The next refresh is planned anew, at once.
    ///
    /// - Throws: ``VaultError``: `no_such_account` and those of an unwritable file.
    @discardableResult
    public func setRenewal(
        _ policy: RenewalPolicy,
        of name: AccountName
    ) async throws -> Account {
        try await translating(name) {
            let stored = try await store.setRenewal(policy, of: name) { account in
                RefreshSchedule.due(asPlanned: account)
            }
            cache.forget(name)
            schedulerWakeup.wake()
            let isCurrent = try store.selectedAccount() == stored.id
            return show(stored, isCurrent: isCurrent, now: clock.now())
        }
    }
}
