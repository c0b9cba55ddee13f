internal import VaultStore

extension Vault {
    /// The accounts that have every one of some tags, in the order of their names.
    ///
    /// Only they are read, however many others there are. One whose records do not open is left out:
    /// ``damagedAccounts()`` names it.
    ///
    /// - Throws: ``VaultError``: `invalid_input` without a tag, for that would be ``accounts()``, and
    ///   for more than 32, which no account has; those of an unreadable file.
    @concurrent
    public func find(_ tags: Set<AccountTag>) async throws -> [Account] {
        try await foundAccounts(tags).intact
    }

    /// The same, with the names of those that are said to have the tags and do not open.
    package func foundAccounts(
        _ tags: Set<AccountTag>
    ) async throws -> (intact: [Account], damaged: [String]) {
        try await translating {
            guard !tags.isEmpty else { throw VaultError(.invalidInput, facts: [.field: "tags"]) }
            guard tags.count <= AccountTag.limit else { throw VaultError.tooManyTags(nil) }
            let now = clock.now()
            let current = try store.selectedAccount()
            let found = try TaggedAccounts.all {
                try store.accounts(tagged: tags, after: $0, limit: 256)
            }
            let accounts = found.accounts.map { show($0, isCurrent: $0.id == current, now: now) }
            return (accounts, found.damaged)
        }
    }

    /// Gives an account other tags in place of those it has; none takes them away.
    ///
    /// - Throws: ``VaultError``: `no_such_account`, `invalid_input` for more than 32, and those of an
    ///   unwritable file.
    @discardableResult
    public func setTags(_ tags: Set<AccountTag>, of name: AccountName) async throws -> Account {
        try await changeTags(of: name) { _ in tags }
    }

    /// Gives an account the tags that `change` makes of those it has at the moment of writing.
    @discardableResult
    package func changeTags(
        of name: AccountName,
        _ change: @escaping @Sendable (Set<AccountTag>) -> Set<AccountTag>
    ) async throws -> Account {
        try await translating(name) {
            let stored = try await store.changeTags(of: name) { old in
                let new = change(old)
                guard new.count <= AccountTag.limit else { throw VaultError.tooManyTags(name) }
                return new
            }
            cache.forget(name)
            let isCurrent = try store.selectedAccount() == stored.id
            return show(stored, isCurrent: isCurrent, now: clock.now())
        }
    }
}

extension VaultError {
    static func tooManyTags(_ account: AccountName?) -> VaultError {
        VaultError(
            .invalidInput,
            account: account,
            facts: [.field: "tags", .wanted: "at most \(AccountTag.limit)"]
        )
    }
}
