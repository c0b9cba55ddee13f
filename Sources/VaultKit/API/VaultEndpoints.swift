package import OAuth
package import VaultStore

extension Vault {
    /// Gives an account other endpoints, which somebody has agreed to.
    ///
    /// - Throws: ``VaultError``: `busy` when it has others by now than those that were looked at,
    ///   `no_such_account`, and those of an unwritable file.
    package func pin(_ change: EndpointChange) async throws {
        try await translating(change.account) {
            _ = try await store.pin(change)
            cache.forget(change.account)
            schedulerWakeup.wake()
        }
    }

    /// What an account was signed in with, and its endpoints as they are sealed.
    package func pinnedEndpoints(
        of name: AccountName
    ) async throws -> [EndpointName: EndpointURL] {
        try await translating(name) { try store.account(named: name).settings.endpoints }
    }
}
