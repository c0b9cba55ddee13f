internal import FoundationEssentials
internal import VaultCrypto
internal import VaultSQLite

/// Adding, replacing and removing accounts.
extension VaultFile {
    /// Stores a new account; the vault's first becomes the current one.
    package func insert(_ new: NewAccount) throws -> StoredAccount {
        try write(confirming: isThere) {
            let keyring = try currentKeyring()
            let name = new.settings.name
            guard try identifier(of: name) == nil else { throw StoreError.nameTaken(name) }
            try refuseKnownGrant(new.tokens, besides: nil, keyring)
            let isFirst = try hints(after: nil, limit: 1).isEmpty
            let id = new.id
            let first: UInt64 = 1
            var insert = try connection.prepare(
                """
                INSERT INTO account (account_id, name, revision, account_box, generation, \
                tokens_box, refresh_token_hash, state, expires_at, due_at, client_hash, \
                state_since, grant_ends_at) \
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
                """
            )
            insert.bind(new.grantEnd?.toldOf, at: 13)
            insert.bind(ClientHashes(new.settings, keyring).client, at: 11)
            insert.bind(new.health.since?.unixSeconds, at: 12)
            insert.bind(id.bytes, at: 1)
            insert.bind(name.text, at: 2)
            insert.bind(Int64(first), at: 3)
            insert.bind(try seal(new.settings, id, revision: first, keyring), at: 4)
            insert.bind(Int64(first), at: 5)
            insert.bind(try seal(new.tokens, id, generation: first, keyring), at: 6)
            insert.bind(new.tokens.refreshToken.map { keyring.spentTokenHash(of: $0) }, at: 7)
            insert.bind(new.health.state.rawValue, at: 8)
            insert.bind(new.expiry?.unixSeconds, at: 9)
            insert.bind(new.health.due?.unixSecondsNotEarlier, at: 10)
            try insert.run()
            let number = connection.lastInsertedRow
            let hints = TagHints(connection: connection, keyring: keyring)
            try hints.set(new.settings.tags, of: id)
            if isFirst { try select(id, with: keyring) }
            try log(keyring).add(.accountAdded, name.text, at: new.health.since)
            return StoredAccount(
                number: number,
                id: id,
                revision: first,
                settings: new.settings,
                generation: first,
                tokens: new.tokens,
                health: new.health
            )
        }
    }

    /// Gives an account a new grant, and a new name if the settings have one: the next generation
    /// of the same account.
    ///
    /// - Throws: `StoreError.superseded` when the account has moved on, `StoreError.grantAlive` when
    ///   it does not fulfil the condition.
    package func replace(
        _ account: StoredAccount,
        with new: NewAccount,
        only condition: AccountCondition? = nil
    ) throws -> StoredAccount {
        try write(confirming: isThere) {
            let keyring = try currentKeyring()
            try check(condition, of: account.id.bytes)
            let name = new.settings.name
            guard try name == account.name || identifier(of: name) == nil else {
                throw StoreError.nameTaken(name)
            }
            try refuseKnownGrant(new.tokens, besides: account.id, keyring)
            let revision = account.revision + 1
            let generation = account.generation + 1
            var update = try connection.prepare(
                """
                UPDATE account SET revision = ?4, account_box = ?5, generation = ?6, \
                tokens_box = ?7, intent_box = NULL, refresh_token_hash = ?8, client_hash = ?9, \
                expires_at = ?10, due_at = ?11, failure_count = 0, failure = NULL, \
                failed_at = NULL, name = ?12, grant_ends_at = ?13, grant_end_told = 0 \
                WHERE account_id = ?1 AND revision = ?2 AND generation = ?3
                """
            )
            update.bind(account.id.bytes, at: 1)
            update.bind(Int64(account.revision), at: 2)
            update.bind(Int64(account.generation), at: 3)
            update.bind(Int64(revision), at: 4)
            update.bind(try seal(new.settings, account.id, revision: revision, keyring), at: 5)
            update.bind(Int64(generation), at: 6)
            update.bind(
                try seal(new.tokens, account.id, generation: generation, keyring),
                at: 7
            )
            update.bind(new.tokens.refreshToken.map { keyring.spentTokenHash(of: $0) }, at: 8)
            update.bind(ClientHashes(new.settings, keyring).client, at: 9)
            update.bind(new.expiry?.unixSeconds, at: 10)
            update.bind(new.health.due?.unixSecondsNotEarlier, at: 11)
            update.bind(name.text, at: 12)
            update.bind(new.grantEnd?.toldOf, at: 13)
            try update.run()
            guard connection.changes == 1 else { throw StoreError.superseded }
            let hints = TagHints(connection: connection, keyring: keyring)
            try hints.set(new.settings.tags, of: account.id)
            try setState(new.health.state, of: account.id.bytes, at: new.health.since)
            try log(keyring).add(.signedIn, name.text, at: new.health.since)
            return StoredAccount(
                number: account.number,
                id: account.id,
                revision: revision,
                settings: new.settings,
                generation: generation,
                tokens: new.tokens,
                health: new.health
            )
        }
    }

    /// Erases an account, also one whose records do not open, with the pairs that were kept aside
    /// for it.
    ///
    /// If it was the current one, none is current afterwards.
    ///
    /// - Throws: `StoreError.noSuchAccount`; with a condition `StoreError.grantAlive` when the account
    ///   does not fulfil it, and `StoreError.tampered` when nobody can tell.
    package func remove(_ name: AccountName, only condition: AccountCondition? = nil) throws {
        let isGone = { [self] (id: [UInt8]) throws -> Bool in try identifier(of: name) != id }
        _ = try erasing {
            try write(confirming: isGone) {
                let keyring = try currentKeyring()
                guard let id = try identifier(of: name) else {
                    throw StoreError.noSuchAccount(name)
                }
                try check(condition, of: id)
                if isSelected(id) { try select(nil, with: keyring) }
                for table in ["account", "received_token", "account_tag"] {
                    var delete = try connection.prepare(
                        "DELETE FROM \(table) WHERE account_id = ?1"
                    )
                    delete.bind(id, at: 1)
                    try delete.run()
                }
                try log(keyring).add(.accountRemoved, name.text)
                return id
            }
        }
    }

    /// Refuses to touch an account that does not fulfil a condition as it is stored now.
    private func check(_ condition: AccountCondition?, of id: [UInt8]) throws {
        guard let condition else { return }
        guard let account = try AccountID(id).flatMap(account) else { throw StoreError.superseded }
        guard condition(account) else { throw StoreError.grantAlive(account.name) }
    }

    /// Whether an account is stored as it was written.
    private func isThere(_ written: StoredAccount) throws -> Bool {
        guard let stored = try account(written.id) else { return false }
        return stored.generation == written.generation && stored.revision == written.revision
            && stored.tokens == written.tokens
    }

    /// The identifier in the row of this name.
    package func identifier(of name: AccountName) throws -> [UInt8]? {
        var select = try connection.prepare("SELECT account_id FROM account WHERE name = ?1")
        select.bind(name.text, at: 1)
        return try select.step() ? select.blob(at: 0) : nil
    }

    /// Two accounts that share one refresh token log each other out, and a spent one kills its
    /// family at a server that looks for reuse.
    private func refuseKnownGrant(
        _ tokens: TokenSet,
        besides account: AccountID?,
        _ keyring: Keyring
    ) throws {
        guard let hashes = tokens.refreshToken.map({ keyring.spentTokenHashes(of: $0) }) else {
            return
        }
        guard try !hashes.contains(where: isSpent) else { throw StoreError.grantKnown(.spent) }
        var stored = try connection.prepare(
            "SELECT name, account_id FROM account WHERE refresh_token_hash = ?1"
        )
        stored.bind(hashes[0], at: 1)
        while try stored.step() {
            guard stored.blob(at: 1) != account?.bytes, let name = AccountName(stored.text(at: 0))
            else { continue }
            throw StoreError.grantKnown(.stored(in: name))
        }
    }

    func seal(
        _ settings: AccountSettings,
        _ id: AccountID,
        revision: UInt64,
        _ keyring: Keyring
    ) throws -> [UInt8] {
        keyring.seal(
            AccountRecord.encode(settings),
            kind: .account,
            account: id,
            generation: revision
        )
    }

    func seal(
        _ tokens: TokenSet,
        _ id: AccountID,
        generation: UInt64,
        _ keyring: Keyring,
        kind: RecordKind = .tokens
    ) throws -> [UInt8] {
        keyring.seal(
            TokenRecord.encode(tokens),
            kind: kind,
            account: id,
            generation: generation
        )
    }
}
