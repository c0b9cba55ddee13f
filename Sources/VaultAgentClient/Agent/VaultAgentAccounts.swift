public import VaultAccess

extension VaultAgent {
    /// Every account in the order of their names.
    ///
    /// One whose records do not open is left out: ``damagedAccounts()`` names it.
    ///
    /// - Throws: `VaultError`; `CancellationError`.
    public func accounts() async throws -> [Account] {
        try await accounts(AgentRequest("GET", "/v1/accounts"))
    }

    /// The names of the accounts whose records do not open, as the file has them.
    ///
    /// - Throws: `VaultError`; `CancellationError`.
    public func damagedAccounts() async throws -> [String] {
        try await document(AccountStatusListDocument.self, AgentRequest("GET", "/v1/accounts"))
            .damaged
    }

    /// The accounts that have every one of some tags, in the order of their names.
    ///
    /// One whose records do not open is left out: ``damagedAccounts()`` names it.
    ///
    /// - Throws: `VaultError`: `invalid_input` without a tag, for that would be ``accounts()``, and
    ///   for more than 32, which no account has; those of a vault that cannot be asked;
    ///   `CancellationError`.
    public func find(_ tags: Set<AccountTag>) async throws -> [Account] {
        guard !tags.isEmpty else { throw VaultError(.invalidInput, facts: [.field: "tags"]) }
        guard tags.count <= AccountTag.limit else {
            let most = "at most \(AccountTag.limit)"
            throw VaultError(.invalidInput, facts: [.field: "tags", .wanted: most])
        }
        var request = AgentRequest("GET", "/v1/accounts")
        request.fields = tags.sorted().map { ("tag", $0.text) }
        return try await accounts(request)
    }

    /// One account.
    ///
    /// - Throws: `VaultError`: `no_such_account` and those of a vault that cannot be asked;
    ///   `CancellationError`.
    public func account(_ name: AccountName) async throws -> Account {
        let request = AgentRequest("GET", "/v1/accounts/\(name)", about: name)
        let document = try await document(OneAccountDocument.self, request)
        guard let account = Account(document.account), account.name == name else {
            throw malformed(request)
        }
        return account
    }

    /// The account that is used when none is named; nil when there is none.
    ///
    /// - Throws: `VaultError`; `CancellationError`.
    public func currentAccount() async throws -> AccountName? {
        let request = AgentRequest("GET", "/v1/current-account")
        return try await document(CurrentAccountDocument.self, request).account.map { text in
            guard let name = AccountName(text) else { throw malformed(request) }
            return name
        }
    }

    /// Makes an account the current one.
    ///
    /// - Throws: `VaultError`: `no_such_account` and those of an unwritable file;
    ///   `CancellationError`, after which it may have become so.
    public func switchAccount(to name: AccountName) async throws {
        _ = try await answer(AgentRequest("POST", "/v1/accounts/\(name)/select", about: name))
    }

    /// Changes when an account is renewed in the background.
    ///
    /// - Throws: `VaultError`: `no_such_account` and those of an unwritable file;
    ///   `CancellationError`, after which it may have been changed.
    public func setRenewal(_ policy: RenewalPolicy, of name: AccountName) async throws {
        var request = AgentRequest("POST", "/v1/accounts/\(name)/renewal", about: name)
        request.body = try WireJSON.encode(RenewalDocument(renewal: policy.rawValue))
        _ = try await answer(request)
    }

    /// The clients of the vault's accounts, in the order of their identifiers.
    ///
    /// - Throws: `VaultError`; `CancellationError`.
    public func clients() async throws -> [ClientOverview] {
        let request = AgentRequest("GET", "/v1/clients")
        return try await document(ClientListDocument.self, request).clients.map { client in
            guard let client = ClientOverview(client) else { throw malformed(request) }
            return client
        }
    }

    private func accounts(_ request: AgentRequest) async throws -> [Account] {
        try await document(AccountStatusListDocument.self, request).accounts.map { account in
            guard let account = Account(account) else { throw malformed(request) }
            return account
        }
    }
}
