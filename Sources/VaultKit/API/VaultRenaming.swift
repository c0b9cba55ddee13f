internal import Platform
public import VaultStore

extension Vault {
    /// Gives an account another name.
    ///
    /// Its tokens, its tags and its place as the current account go along. A refresh that is under way
    /// is stored under the new name.
    ///
    /// - Parameters:
    ///   - name: The account.
    ///   - new: Its name from now on; the one it has changes nothing.
    /// - Returns: The account as it is stored.
    /// - Throws: ``VaultError``: `no_such_account`, `name_taken`, `not_saved` while a new pair of it is
    ///   only in memory, and those of an unwritable file.
    @discardableResult
    public func rename(_ name: AccountName, to new: AccountName) async throws -> Account {
        // Not about the account: it is the other name that may be taken.
        try await translating {
            guard refresher.unsavedPair(of: name) == nil else {
                throw VaultError(.notSaved, account: name)
            }
            let stored = try await store.rename(name, to: new)
            cache.forget(name)
            cache.forget(new)
            states.tell()
            schedulerWakeup.wake()
            let isCurrent = try store.selectedAccount() == stored.id
            return show(stored, isCurrent: isCurrent, now: clock.now())
        }
    }
}
