package import FoundationEssentials
package import OAuth
package import VaultCrypto
internal import VaultSQLite

/// Another secret for a client.
package struct NewClientSecret: Sendable {
    package let client: ClientID
    /// Which of them, where servers happen to share its identifier.
    package let tokenEndpoint: EndpointURL?
    package let secret: Secret
    /// How the client authenticates from now on; as before unless told.
    package let authentication: ClientAuthentication?
    /// Whether the old secret is tried again when the new one is refused: a server may take a while
    /// to learn it.
    package let keepsOld: Bool

    package init(
        client: ClientID,
        tokenEndpoint: EndpointURL? = nil,
        secret: Secret,
        authentication: ClientAuthentication? = nil,
        keepsOld: Bool = false
    ) {
        self.client = client
        self.tokenEndpoint = tokenEndpoint
        self.secret = secret
        self.authentication = authentication
        self.keepsOld = keepsOld
    }
}

extension Abandonment {
    /// What is left of it when the account was given another secret while the request was under way:
    /// that the one which was sent is refused says nothing of the new one.
    package func asSent(by claim: Claim, _ account: StoredAccount) -> Abandonment {
        guard let sent = claim.revision, sent != account.revision, swapsSecret || effect == .refused
        else { return self }
        var end = self
        end.swapsSecret = false
        end.effect = nil
        end.keepsHealth = true
        return end
    }
}

extension VaultFile {
    /// Accounts that are due within one second, once their client is mended.
    private static let mendedPerSecond = 20.0

    /// Gives every account of a client its new secret in one transaction, and has those that waited
    /// for it refresh now.
    ///
    /// - Returns: The accounts, in the order of their names.
    /// - Throws: `StoreError.noSuchClient`; `StoreError.ambiguousClient` when accounts at several
    ///   token endpoints have a client of this identifier, and none was named.
    package func setSecret(_ new: NewClientSecret, at now: Date) throws -> [AccountName] {
        let isThere = { [self] (names: [AccountName]) throws -> Bool in
            guard let last = names.last else { return false }
            return try account(named: last).settings.client.secret == new.secret
        }
        return try write(confirming: isThere) {
            let keyring = try currentKeyring()
            let accounts = try accounts(of: new)
            let endpoints = Set(accounts.map(\.settings.tokenEndpoint))
            guard endpoints.count <= 1 else {
                throw StoreError.ambiguousClient(endpoints.map(\.string).sorted())
            }
            guard !accounts.isEmpty else { throw StoreError.noSuchClient }
            for (index, account) in accounts.enumerated() {
                let due = now.addingTimeInterval(Double(index) / Self.mendedPerSecond)
                try write(new, to: account, dueAt: due, keyring, at: now)
            }
            try close(accounts, keyring, at: now)
            let names = accounts.map(\.name)
            try log(keyring).add(.secretChanged, each: names, at: now)
            return names
        }
    }

    /// Closes the breakers of these accounts: one for each place that their refreshes go to.
    private func close(
        _ accounts: [StoredAccount],
        _ keyring: Keyring,
        at now: Date
    ) throws {
        var places: [EndpointURL: AccountSettings] = [:]
        for account in accounts { places[account.settings.refreshEndpoint] = account.settings }
        for settings in places.values {
            try update(ClientHashes(settings, keyring), at: now) { state in
                state.refused = []
                if state.breaker?.reason == .clientRefused { state.breaker = nil }
            }
        }
    }

    private func accounts(of new: NewClientSecret) throws -> [StoredAccount] {
        var (found, last): ([StoredAccount], String?) = ([], nil)
        repeat {
            let page = try accountPage(after: last, limit: 256)
            found += page.accounts.filter { account in
                account.settings.client.id == new.client
                    && new.tokenEndpoint.map { $0 == account.settings.tokenEndpoint } ?? true
            }
            last = page.next
        } while last != nil
        return found
    }

    private func write(
        _ new: NewClientSecret,
        to account: StoredAccount,
        dueAt due: Date,
        _ keyring: Keyring,
        at now: Date
    ) throws {
        var settings = account.settings
        settings.otherSecret = new.keepsOld ? settings.secretBefore(new.secret) : nil
        let method = settings.client.authentication
        settings.client = Client(
            id: settings.client.id,
            secret: new.secret,
            authentication: new.authentication ?? (method == .none ? .clientSecretBasic : method)
        )
        try write(settings, to: account, keyring)
        guard account.health.failures?.last == ClientState.Breaker.Reason.clientRefused.rawValue,
            !account.health.state.wantsPerson
        else { return }
        var update = try connection.prepare(
            """
            UPDATE account SET due_at = ?2, failure_count = 0, failure = NULL, failed_at = NULL \
            WHERE account_id = ?1
            """
        )
        update.bind(account.id.bytes, at: 1)
        update.bind(due.unixSecondsNotEarlier, at: 2)
        try update.run()
        let state: AccountState = account.intent == nil ? .active : .outcomeUnknown
        try setState(state, of: account.id.bytes, at: now)
    }

    /// Seals an account's settings anew, and puts the hints of its tags right.
    func write(
        _ settings: AccountSettings,
        to account: StoredAccount,
        _ keyring: Keyring
    ) throws {
        let revision = account.revision + 1
        var update = try connection.prepare(
            """
            UPDATE account SET revision = ?3, account_box = ?4, client_hash = ?5 \
            WHERE account_id = ?1 AND revision = ?2
            """
        )
        update.bind(account.id.bytes, at: 1)
        update.bind(Int64(account.revision), at: 2)
        update.bind(Int64(revision), at: 3)
        update.bind(try seal(settings, account.id, revision: revision, keyring), at: 4)
        update.bind(ClientHashes(settings, keyring).client, at: 5)
        try update.run()
        guard connection.changes == 1 else { throw StoreError.superseded }
        try TagHints(connection: connection, keyring: keyring).set(settings.tags, of: account.id)
    }
}
