package import FoundationEssentials
package import VaultCrypto
internal import VaultSQLite

/// The three writes of a refresh: claim, install, abandon.
extension VaultFile {
    /// Spent tokens remembered for each account.
    private static let spentTokensKept: Int64 = 200
    /// Seconds that a pair which came too late is kept.
    private static let receivedTokenLife: TimeInterval = 7 * 86_400

    /// The hash under which a refresh token is remembered.
    package func spentTokenHash(of refreshToken: Secret) throws -> [UInt8] {
        try currentKeyring().spentTokenHash(of: refreshToken)
    }

    /// Writes the intent.
    ///
    /// It is also the proof that the disk takes writes: if this fails, nothing is sent.
    package func claim(
        _ account: StoredAccount,
        intent: Intent,
        turn: BreakerTurn? = nil
    ) throws -> Claim {
        let isThere = { [self] (claim: Claim) throws -> Bool in
            let stored = try self.account(claim.account)
            return stored?.generation == claim.generation && stored?.intent == intent
        }
        return try write(confirming: isThere) {
            let keyring = try currentKeyring()
            let hashes = ClientHashes(account.settings, keyring)
            if let turn, try !take(turn, hashes, for: account.id) { throw StoreError.superseded }
            let record = keyring.seal(
                IntentRecord.encode(intent),
                kind: .intent,
                account: account.id,
                generation: account.generation
            )
            var update = try connection.prepare(
                """
                UPDATE account SET intent_box = ?3, client_hash = ?5 \
                WHERE account_id = ?1 AND generation = ?2 AND number = ?4
                """
            )
            update.bind(hashes.client, at: 5)
            update.bind(account.id.bytes, at: 1)
            update.bind(Int64(account.generation), at: 2)
            update.bind(record, at: 3)
            // The number is what is locked.
            update.bind(account.number, at: 4)
            try update.run()
            guard connection.changes == 1 else { throw StoreError.superseded }
            return Claim(
                account: account.id,
                number: account.number,
                generation: account.generation,
                incarnation: incarnation,
                revision: account.revision,
                intent: intent
            )
        }
    }

    /// Stores the new pair as the next generation, if the claimed one is still the newest.
    ///
    /// A pair that is there already, by an earlier try that seemed to fail, is installed.
    package func install(_ pair: NewPair, for claim: Claim) throws -> InstallOutcome {
        try write(confirming: { [self] in try isThere(pair, for: claim, as: $0) }) {
            let keyring = try currentKeyring()
            try forgetReceived(at: pair.now)
            if let hash = pair.spentTokenHash {
                try rememberSpent(hash, of: claim.account, at: pair.now)
            }
            let generation = claim.generation + 1
            var update = try connection.prepare(
                """
                UPDATE account SET generation = ?3, tokens_box = ?4, intent_box = NULL, \
                refresh_token_hash = ?5, expires_at = ?6, due_at = ?7, \
                failure_count = 0, failure = NULL, failed_at = NULL \
                WHERE account_id = ?1 AND generation = ?2 AND ?8
                """
            )
            update.bind(claim.account.bytes, at: 1)
            update.bind(Int64(claim.generation), at: 2)
            update.bind(Int64(generation), at: 3)
            update.bind(
                try seal(pair.tokens, claim.account, generation: generation, keyring),
                at: 4
            )
            update.bind(pair.tokens.refreshToken.map { keyring.spentTokenHash(of: $0) }, at: 5)
            update.bind(pair.expiry?.unixSeconds, at: 6)
            update.bind(pair.due?.unixSecondsNotEarlier, at: 7)
            update.bind(claim.incarnation == incarnation ? 1 : 0, at: 8)
            try update.run()
            if connection.changes == 1 {
                try setState(.active, of: claim.account.bytes, at: pair.now)
                try forgetSpent(pair.tokens, keyring)
                try note(pair.effect, of: claim.account, keyring, at: pair.now)
                return .installed(generation: generation)
            }
            if try isInstalled(pair, for: claim) { return .installed(generation: generation) }
            try keepAside(pair, for: claim, keyring)
            return .superseded
        }
    }

    private func isInstalled(_ pair: NewPair, for claim: Claim) throws -> Bool {
        guard claim.incarnation == incarnation, let stored = try account(claim.account) else {
            return false
        }
        return stored.generation == claim.generation + 1 && stored.tokens == pair.tokens
    }

    /// Whether the outcome of an install whose commit failed came true.
    private func isThere(
        _ pair: NewPair,
        for claim: Claim,
        as outcome: InstallOutcome
    ) throws -> Bool {
        switch outcome {
        case .installed: return try isInstalled(pair, for: claim)
        case .superseded:
            var select = try connection.prepare(
                "SELECT 1 FROM received_token WHERE account_id = ?1 AND generation = ?2"
            )
            select.bind(claim.account.bytes, at: 1)
            select.bind(Int64(claim.generation), at: 2)
            return try select.step()
        }
    }

    /// Ends a claim without a pair, if its intent is still the one that is stored.
    ///
    /// Another intent is of a request that may be under way, and the only trace of it.
    package func abandon(_ claim: Claim, as abandonment: Abandonment) throws {
        let isThere = { [self] (box: [UInt8]?) throws -> Bool in
            try box == nil || tokensBox(of: claim.account) == box
        }
        _ = try write(confirming: isThere) { () throws -> [UInt8]? in
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
            let end = try believed(abandonment, of: account, keyring, at: now)
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

    /// Writes down that nothing is sent for now, if the account is still of this generation.
    package func postpone(
        _ account: StoredAccount,
        as health: StoredAccount.Health,
        at now: Date
    ) throws {
        let isThere = { [self] (_: Void) throws -> Bool in
            try self.account(account.id)?.health.due?.unixSeconds
                == health.due?.unixSecondsNotEarlier
        }
        try write(confirming: isThere) {
            var update = try connection.prepare(
                """
                UPDATE account SET due_at = ?3, failure_count = ?4, failure = ?5, failed_at = ?6 \
                WHERE account_id = ?1 AND generation = ?2
                """
            )
            update.bind(account.id.bytes, at: 1)
            update.bind(Int64(account.generation), at: 2)
            update.bind(health.due?.unixSecondsNotEarlier, at: 3)
            update.bind(Int64(health.failures?.count ?? 0), at: 4)
            update.bind(health.failures?.last, at: 5)
            update.bind(health.failures?.at.unixSeconds, at: 6)
            try update.run()
            guard connection.changes == 1 else { return }
            try setState(health.state, of: account.id.bytes, at: now)
        }
    }

    /// Writes down what an answer says about the account's client.
    private func note(
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

    /// Remembers one more spent token, and forgets the oldest above the number that is kept.
    ///
    /// The order is that of the spending, also after the clock was set back: by its time alone the
    /// newest would be the one to go.
    private func rememberSpent(_ hash: [UInt8], of account: AccountID, at date: Date) throws {
        var insert = try connection.prepare(
            """
            INSERT OR IGNORE INTO spent_token (hash, account_id, spent_at) \
            SELECT ?1, ?2, max(?3, coalesce(min(max(spent_at), 9223372036854775806) + 1, ?3)) \
            FROM spent_token WHERE account_id = ?2
            """
        )
        insert.bind(hash, at: 1)
        insert.bind(account.bytes, at: 2)
        insert.bind(date.unixSeconds, at: 3)
        try insert.run()
        var prune = try connection.prepare(
            """
            DELETE FROM spent_token WHERE account_id = ?1 AND hash IN ( \
            SELECT hash FROM spent_token WHERE account_id = ?1 \
            ORDER BY spent_at DESC LIMIT -1 OFFSET ?2)
            """
        )
        prune.bind(account.bytes, at: 1)
        prune.bind(Self.spentTokensKept, at: 2)
        try prune.run()
    }

    /// A refresh token that its server has just given out is not spent, whatever was thought of it.
    private func forgetSpent(_ tokens: TokenSet, _ keyring: Keyring) throws {
        guard let hash = tokens.refreshToken.map({ keyring.spentTokenHash(of: $0) }) else { return }
        var delete = try connection.prepare("DELETE FROM spent_token WHERE hash = ?1")
        delete.bind(hash, at: 1)
        try delete.run()
    }

    /// Drops the pairs that came too late a week ago or longer; mostly there are none.
    func forgetReceived(at date: Date) throws {
        var delete = try connection.prepare("DELETE FROM received_token WHERE received_at < ?1")
        delete.bind(date.addingTimeInterval(-Self.receivedTokenLife).unixSeconds, at: 1)
        try delete.run()
    }

    private func keepAside(_ pair: NewPair, for claim: Claim, _ keyring: Keyring) throws {
        var insert = try connection.prepare(
            """
            INSERT INTO received_token (account_id, generation, received_at, tokens_box) \
            VALUES (?1, ?2, ?3, ?4)
            """
        )
        insert.bind(claim.account.bytes, at: 1)
        insert.bind(Int64(claim.generation), at: 2)
        insert.bind(pair.now.unixSeconds, at: 3)
        insert.bind(
            try seal(
                pair.tokens,
                claim.account,
                generation: claim.generation,
                keyring,
                kind: .receivedToken
            ),
            at: 4
        )
        try insert.run()
    }
}
