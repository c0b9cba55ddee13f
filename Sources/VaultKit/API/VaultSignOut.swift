internal import OAuth
internal import Platform
internal import VaultCrypto
public import VaultStore

extension Vault {
    /// Signs out of an account: its tokens are revoked at the authorization server (RFC 7009, or as its
    /// provider has it), and then it is erased.
    ///
    /// A refresh that is under way is waited for, so that what it brings is revoked too. What was begun
    /// is brought to its end also when the task is cancelled.
    ///
    /// - Parameters:
    ///   - name: The account.
    ///   - isKept: Whether the account stays, without tokens, so that the next sign-in needs no more
    ///     than its name.
    ///   - isForced: Whether the account is let go of although its tokens could not be revoked.
    /// - Returns: How it went.
    /// - Throws: ``VaultError``: `no_such_account`; `revocation_failed`, after which the account is as
    ///   it was: the facts say what the server answered, or in `reason` that it was not reached, that
    ///   no revocation endpoint is known (`no_endpoint`) or that the provider wants an access token for
    ///   it and none lives any more (`no_access_token`); `not_saved`, `busy` and those of an unwritable
    ///   file.
    @discardableResult
    public func signOut(
        _ name: AccountName,
        keepingAccount isKept: Bool = false,
        isForced: Bool = false
    ) async throws -> SignOut {
        // Awaited here, in a task of its own: a revocation that was sent is not to be forgotten.
        let work = Task {
            try await translating(name) {
                try await perform(signOutOf: name, isKept: isKept, isForced: isForced)
            }
        }
        return try await work.value
    }

    private func perform(
        signOutOf name: AccountName,
        isKept: Bool,
        isForced: Bool
    ) async throws -> SignOut {
        let (account, seat) = try await refresher.reserve { try store.account(named: name) }
        let operation = SignOutOperation(
            environment: refresher.environment,
            store: store,
            isKept: isKept,
            isForced: isForced
        )
        let end: SignOutOperation.End
        do {
            end = try await operation.run(account)
        } catch {
            // Whoever waited looks for itself what there is now.
            let busy = VaultError(.busy, account: name, facts: [.reason: "sign_out"])
            refresher.vacate(seat, of: account, .failed(busy, account))
            throw error
        }
        cache.forget(name)
        refresher.vacate(seat, of: account, end.outcome)
        if end.kept == nil { hub.publish(.removed, of: name) }
        states.tell()
        schedulerWakeup.wake()
        return SignOut(
            isKept: end.kept != nil,
            failure: end.failure,
            sharing: (try? accounts(sharing: account.settings, besides: account.id)) ?? []
        )
    }
}
