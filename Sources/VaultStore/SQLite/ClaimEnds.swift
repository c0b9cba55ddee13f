package import FoundationEssentials
internal import VaultCrypto
internal import VaultSQLite

/// The writes of a refresh that brings no pair: abandon and postpone.
extension VaultFile {
    /// Ends a claim without a pair, if its intent is still the one that is stored.
    ///
    /// Another intent is of a request that may be under way, and the only trace of it.
    package func abandon(_ claim: Claim, as abandonment: Abandonment) throws {
        let isThere = { [self] (box: [UInt8]?) throws -> Bool in
            try box == nil || tokensBox(of: claim.account) == box
        }
        _ = try writeSharing(confirming: isThere) { () throws -> [UInt8]? in
            let keyring = try currentKeyring()
            guard claim.incarnation == incarnation, let account = try account(claim.account),
                account.generation == claim.generation, claim.isNewest(of: account)
            else { return nil }
            let abandonment = abandonment.asSent(by: claim, account)
            let now = abandonment.at ?? account.health.since ?? Date(unixSeconds: 0)
            try note(abandonment.effect, of: account, keyring, at: now)
            if abandonment.swapsSecret, let other = account.settings.withOtherSecret {
                try write(other, to: account, keyring)
            }
            var end = try believed(abandonment, of: account, keyring, at: now)
            end.health = end.health(of: account)
            try log(keyring).add(end, of: account, at: now)
            return try write(end, to: account, keyring, at: now)
        }
    }

    private func write(
        _ abandonment: Abandonment,
        to account: StoredAccount,
        _ keyring: Keyring,
        at now: Date
    ) throws -> [UInt8] {
        var tokens = account.tokens
        if let needed = abandonment.signInNeeded { tokens.signInNeeded = needed }
        tokens.silentRefusals = abandonment.silentRefusals
        let health = abandonment.health
        var update = try connection.prepare(
            """
            UPDATE account SET tokens_box = ?3, \
            intent_box = CASE WHEN ?4 THEN intent_box END, due_at = ?5, \
            failure_count = ?6, failure = ?7, failed_at = ?8 \
            WHERE account_id = ?1 AND generation = ?2
            """
        )
        update.bind(account.id.bytes, at: 1)
        update.bind(Int64(account.generation), at: 2)
        let box = try seal(tokens, account.id, generation: account.generation, keyring)
        update.bind(box, at: 3)
        update.bind(abandonment.outcomeIsUnknown ? 1 : 0, at: 4)
        update.bind(health.due?.unixSecondsNotEarlier, at: 5)
        update.bind(Int64(health.failures?.count ?? 0), at: 6)
        update.bind(health.failures?.last, at: 7)
        update.bind(health.failures?.at.unixSeconds, at: 8)
        try update.run()
        try setState(health.state, of: account.id.bytes, at: now)
        return box
    }

    /// Writes down that nothing is sent for now.
    ///
    /// - Throws: `StoreError.superseded` when the account is not as it was seen, or its client has
    ///   been mended since: whoever waits for that was called just before, and is not called again.
    package func postpone(
        _ account: StoredAccount,
        as health: StoredAccount.Health,
        at now: Date
    ) throws {
        let isThere = { [self] (_: Void) throws -> Bool in
            try self.account(account.id)?.health.due?.unixSeconds
                == health.due?.unixSecondsNotEarlier
        }
        try writeSharing(confirming: isThere) {
            let hashes = ClientHashes(account.settings, try currentKeyring())
            guard try holds(health, clientState(hashes), at: now) else {
                throw StoreError.superseded
            }
            var update = try connection.prepare(
                """
                UPDATE account SET due_at = ?3, failure_count = ?4, failure = ?5, failed_at = ?6, \
                client_hash = ?7 WHERE account_id = ?1 AND generation = ?2 AND revision = ?8
                """
            )
            update.bind(account.id.bytes, at: 1)
            update.bind(Int64(account.generation), at: 2)
            update.bind(health.due?.unixSecondsNotEarlier, at: 3)
            update.bind(Int64(health.failures?.count ?? 0), at: 4)
            update.bind(health.failures?.last, at: 5)
            update.bind(health.failures?.at.unixSeconds, at: 6)
            update.bind(hashes.client, at: 7)
            update.bind(Int64(account.revision), at: 8)
            try update.run()
            guard connection.changes == 1 else { throw StoreError.superseded }
            try setState(health.state, of: account.id.bytes, at: now)
        }
    }

    /// Whether what an account is to wait for is still so.
    private func holds(
        _ health: StoredAccount.Health,
        _ client: ClientState,
        at now: Date
    ) -> Bool {
        // Without a due time it is a person that is waited for.
        guard health.due != nil, let last = health.failures?.last else { return true }
        if ClientState.Breaker.Reason(rawValue: last) != nil { return client.breaker != nil }
        return last != "throttled" || client.pausedUntil.map { $0 > now } ?? false
    }

    /// Writes down what an answer says about the account's client.
    func note(
        _ effect: ClientEffect?,
        of id: AccountID,
        _ keyring: Keyring,
        at now: Date
    ) throws {
        guard let effect, let account = try account(id) else { return }
        try note(effect, of: account, keyring, at: now)
    }

    private func note(
        _ effect: ClientEffect?,
        of account: StoredAccount,
        _ keyring: Keyring,
        at now: Date
    ) throws {
        guard let effect else { return }
        try update(ClientHashes(account.settings, keyring), at: now) { state in
            state = state.after(effect, account: account.id, at: now)
        }
    }

    private func tokensBox(of account: AccountID) throws -> [UInt8]? {
        var select = try connection.prepare("SELECT tokens_box FROM account WHERE account_id = ?1")
        select.bind(account.bytes, at: 1)
        return try select.step() ? select.blob(at: 0) : nil
    }
}
