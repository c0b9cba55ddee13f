public import OAuth
internal import Platform
public import VaultStore

extension Vault {
    /// Every account in the order of their names.
    ///
    /// One whose records do not open is left out: ``damagedAccounts()`` names it.
    ///
    /// - Throws: ``VaultError``.
    @concurrent
    public func accounts() async throws -> [Account] {
        try await allAccounts().intact
    }

    /// The names of the accounts whose records do not open, as the file has them.
    ///
    /// - Throws: ``VaultError``.
    @concurrent
    public func damagedAccounts() async throws -> [String] {
        try await allAccounts().damaged
    }

    /// Every account, as far as it opens.
    package func allAccounts() async throws -> (intact: [Account], damaged: [String]) {
        try await translating {
            let now = clock.now()
            let current = try store.selectedAccount()
            var (accounts, damaged): ([Account], [String]) = ([], [])
            var last: String?
            repeat {
                let page = try store.accountPage(after: last, limit: 256)
                accounts += page.accounts.map { account in
                    show(account, isCurrent: account.id == current, now: now)
                }
                damaged += page.damaged
                last = page.next
            } while last != nil
            return (accounts, damaged)
        }
    }

    /// One account.
    ///
    /// - Throws: ``VaultError``: `no_such_account` and those of an unreadable file.
    public func account(_ name: AccountName) async throws -> Account {
        try await translating(name) {
            let account = try store.account(named: name)
            let isCurrent = try store.selectedAccount() == account.id
            return show(account, isCurrent: isCurrent, now: clock.now())
        }
    }

    /// The account that is used when none is named; nil when there is none.
    ///
    /// - Throws: ``VaultError``.
    public func currentAccount() async throws -> AccountName? {
        try await translating {
            try store.selectedAccount().flatMap { try store.account($0)?.name }
        }
    }

    /// Makes an account the current one.
    ///
    /// - Throws: ``VaultError``: `no_such_account` and those of an unwritable file.
    public func switchAccount(to name: AccountName) async throws {
        try await translating(name) { try await store.select(name) }
    }

    /// Adds an account from the answer of its token endpoint, or gives the one of this name a new
    /// grant.
    ///
    /// The vault's first account becomes the current one.
    ///
    /// - Parameters:
    ///   - registration: What the account is.
    ///   - response: Its tokens.
    ///   - policy: Whether an account that has the name already is replaced. What is replaced keeps its
    ///     place, its renewal policy and its tags where the registration has none.
    /// - Returns: The account as it is stored.
    /// - Throws: ``VaultError``: `name_taken` and `grant_alive` by the policy, `grant_known`,
    ///   `invalid_input` for a provider that is not in the catalogue, for a refresh parameter that the
    ///   protocol itself has, for a grace period that is not from above 0 to 86,400 seconds, for more
    ///   than 32 tags and, with the field, for an access token,
    ///   refresh token or token type that is empty, a refresh token of a static account and a lifetime that is negative or not finite, and
    ///   those of an unwritable file.
    @discardableResult
    public func add(
        _ registration: AccountRegistration,
        _ response: TokenResponse,
        replacing policy: ReplacementPolicy = .never
    ) async throws -> Account {
        try registration.check()
        // What is never renewed is never sent, and nobody would know that it is there.
        let isStray = registration.grantKind == .static && response.refreshToken != nil
        if let flaw = response.flaw ?? (isStray ? "refresh_token" : nil) {
            throw VaultError(.invalidInput, account: registration.name, facts: [.field: flaw])
        }
        return try await store(registration, response, sent: clock.now(), replacing: policy)
    }

    /// Erases an account.
    ///
    /// If it was the current one, none is current afterwards.
    ///
    /// - Parameters:
    ///   - name: The account.
    ///   - policy: Whether it goes in any case. Where its records do not open, nobody can tell whether
    ///     it needs a new sign-in: then it goes only in any case.
    /// - Throws: ``VaultError``: `no_such_account`, `grant_alive` by the policy, and those of an
    ///   unwritable file.
    public func remove(_ name: AccountName, only policy: RemovalPolicy = .always) async throws {
        try await translating(name) {
            try await store.remove(name, only: policy == .always ? nil : needingSignIn())
            cache.forget(name)
            hub.publish(.removed, of: name)
            schedulerWakeup.wake()
        }
    }

    /// What an account was signed in with; nil when there is no such account.
    package func registration(of name: AccountName) async throws -> AccountRegistration? {
        try await translating(name) { try existing(name).map { AccountRegistration($0.settings) } }
    }

    /// Fails when the store does not take writes, before something is begun that ends in one.
    package func proveWritable() async throws {
        try await translating { try await store.proveWritable() }
    }

    /// Whether any account has a refresh to come; the end of one that cannot be refreshed is none.
    package func hasRefreshToCome() throws -> Bool {
        try store.nextDue() != nil
    }

    /// The accounts with a pair that is only in memory, because the store does not take it yet.
    package var unsavedAccounts: [AccountName] { refresher.unsavedAccounts }

    func store(
        _ registration: AccountRegistration,
        _ response: TokenResponse,
        sent: Moment,
        replacing policy: ReplacementPolicy,
        ofSameIdentity: Bool = false
    ) async throws -> Account {
        let name = registration.name
        return try await translating(name) {
            let stored = try await write(
                registration,
                response,
                sent: sent,
                replacing: policy,
                ofSameIdentity
            )
            cache.forget(name)
            hub.publish(.signedIn(generation: stored.generation), of: name)
            states.tell()
            schedulerWakeup.wake()
            let isCurrent = try store.selectedAccount() == stored.id
            return show(stored, isCurrent: isCurrent, now: clock.now())
        }
    }

    /// Stores a grant, on top of whatever a refresh stores at the same time: it exists nowhere else.
    private func write(
        _ registration: AccountRegistration,
        _ response: TokenResponse,
        sent: Moment,
        replacing policy: ReplacementPolicy,
        _ ofSameIdentity: Bool
    ) async throws -> StoredAccount {
        let (tags, renewal) = (registration.tags, registration.renewal)
        while true {
            let old = policy == .never ? nil : try existing(registration.name)
            var registration = registration
            if ofSameIdentity, let old {
                try registration.refuseAnother(than: old.settings)
                registration = registration.keepingIdentity(of: old.settings)
            }
            registration.tags = tags.isEmpty ? old?.settings.tags ?? [] : tags
            registration.renewal = renewal ?? old?.settings.renewal
            let new = registration.newAccount(
                response,
                id: old?.id,
                generation: (old?.generation ?? 0) + 1,
                sent: sent,
                now: clock.now()
            )
            do {
                guard let old else { return try await store.insert(new) }
                let condition = policy == .always ? nil : needingSignIn()
                return try await store.replace(old, with: new, only: condition)
            } catch StoreError.superseded {
                // Each round means that somebody else's write went through.
                continue
            } catch StoreError.nameTaken where policy != .never {
                continue
            }
        }
    }

    private func existing(_ name: AccountName) throws -> StoredAccount? {
        do {
            return try store.account(named: name)
        } catch StoreError.noSuchAccount {
            return nil
        }
    }

    /// What is only in memory is part of how an account is doing.
    func show(_ account: StoredAccount, isCurrent: Bool, now: Moment) -> Account {
        var account = account
        if refresher.unsavedPair(of: account.name) != nil { account.health.state = .notSaved }
        return Account(
            account,
            isCurrent: isCurrent,
            now: now,
            refreshes: refreshes,
            client: try? store.clientState(of: account)
        )
    }
}
