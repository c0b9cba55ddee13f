internal import FoundationEssentials
package import VaultCrypto
internal import VaultSQLite

/// The writes that begin a refresh and bring it to a pair: claim and install.
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
        turn: ClaimTurn = ClaimTurn()
    ) throws -> Claim {
        let isThere = { [self] (claim: Claim) throws -> Bool in
            let stored = try self.account(claim.account)
            return stored?.generation == claim.generation && stored?.intent == intent
        }
        return try writeSharing(confirming: isThere) {
            let keyring = try currentKeyring()
            let hashes = ClientHashes(account.settings, keyring)
            guard try turn.breaker.map({ try take($0, hashes, for: account.id) }) ?? true,
                try turn.payment.map({ try pay($0, hashes) }) ?? true
            else { throw StoreError.superseded }
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
        try writeSharing(confirming: { [self] in try isThere(pair, for: claim, as: $0) }) {
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
                failure_count = 0, failure = NULL, failed_at = NULL, grant_ends_at = ?9, \
                grant_end_told = grant_end_told AND ifnull(?9 < grant_ends_at + ?10, 0) \
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
            update.bind(pair.grantEnd?.toldOf, at: 9)
            update.bind(GrantEnd.leastMove, at: 10)
            try update.run()
            if connection.changes == 1 {
                let before = try setState(.active, of: claim.account.bytes, at: pair.now)
                try log(keyring).add(refreshOf: before, at: pair.now)
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

    /// Remembers one more spent token, and forgets the oldest above the number that is kept.
    ///
    /// The order is that of the spending, also after the clock was set back: by its time alone the
    /// newest would be the one to go.
    func rememberSpent(_ hash: [UInt8], of account: AccountID, at date: Date) throws {
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
