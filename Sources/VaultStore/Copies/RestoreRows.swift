internal import FoundationEssentials
internal import VaultCrypto
internal import VaultSQLite

/// The reads and writes of a restore.
extension VaultFile {
    /// An account of the vault that is here, as far as it can be read.
    struct Twin {
        let generation: UInt64
        /// Of its refresh token; the column's where the keys are not here.
        let hash: [UInt8]?
        /// Nil where the keys are not here or its records do not open.
        let account: StoredAccount?
        /// The column's.
        let state: String

        var isMoved: Bool {
            guard let account else { return state == AccountState.paused.rawValue }
            return account.tokens.hold?.reason == .moved
        }
    }

    func twin(of id: AccountID) throws -> Twin? {
        var select = try connection.prepare(
            "SELECT generation, refresh_token_hash, state FROM account WHERE account_id = ?1"
        )
        select.bind(id.bytes, at: 1)
        guard try select.step() else { return nil }
        let account = try isUnlocked ? intactAccount(id) : nil
        return Twin(
            generation: account?.generation ?? UInt64(clamping: select.integer(at: 0)),
            hash: try account.map { try hash(of: $0.tokens) } ?? select.optionalBlob(at: 1),
            account: account,
            state: select.text(at: 2)
        )
    }

    private func intactAccount(_ id: AccountID) throws -> StoredAccount? {
        do {
            return try account(id)
        } catch StoreError.tampered {
            return nil
        } catch let error as SQLiteError where error.isDamage {
            return nil
        }
    }

    func hash(of tokens: TokenSet) throws -> [UInt8]? {
        try tokens.refreshToken.map { try spentTokenHash(of: $0) }
    }

    func hasSpentTokens(_ id: AccountID) throws -> Bool {
        var select = try connection.prepare("SELECT 1 FROM spent_token WHERE account_id = ?1")
        select.bind(id.bytes, at: 1)
        return try select.step()
    }

    /// Whether two files have the same root key, going by what vouches for it in each.
    func hasRootKey(of other: VaultFile) -> Bool {
        vaultID == other.vaultID && header.rootCheck == other.header.rootCheck
    }

    /// A process that claimed before finds another life of the vault, and keeps its pair aside.
    func beginIncarnation() throws {
        var update = try connection.prepare("UPDATE vault SET incarnation = ?1")
        update.bind(Randomness.bytes(count: 16), at: 1)
        try update.run()
    }

    /// As the file has it at this moment.
    func currentIncarnation() throws -> [UInt8] {
        try VaultHeader(reading: connection).incarnation
    }

    func lastAccountNumber() throws -> Int64 {
        var select = try connection.prepare(
            "SELECT seq FROM sqlite_sequence WHERE name = 'account'"
        )
        return try select.step() ? select.integer(at: 0) : 0
    }

    /// Numbers are bytes of the lock file, and never given out twice.
    func keepNumbersUnused(upTo number: Int64) throws {
        // SQLite makes the row with the first account.
        var insert = try connection.prepare(
            """
            INSERT INTO sqlite_sequence (name, seq) SELECT 'account', 0 \
            WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'account')
            """
        )
        try insert.run()
        var update = try connection.prepare(
            "UPDATE sqlite_sequence SET seq = max(seq, ?1) WHERE name = 'account'"
        )
        update.bind(number, at: 1)
        try update.run()
    }

    /// Gives an account other tokens; one that waits for a person is due never.
    func rewrite(
        _ account: StoredAccount,
        _ tokens: TokenSet,
        _ intent: Intent?,
        generation: UInt64,
        at now: Date
    ) throws {
        let keyring = try currentKeyring()
        let state =
            tokens.signInNeeded == nil
            ? tokens.hold?.reason.state ?? account.health.state : .signInNeeded
        var update = try connection.prepare(
            """
            UPDATE account SET tokens_box = ?2, intent_box = ?3, \
            due_at = CASE WHEN ?4 THEN NULL ELSE due_at END, generation = ?5 \
            WHERE account_id = ?1
            """
        )
        update.bind(account.id.bytes, at: 1)
        update.bind(try seal(tokens, account.id, generation: generation, keyring), at: 2)
        update.bind(
            intent.map { intent in
                keyring.seal(
                    IntentRecord.encode(intent),
                    kind: .intent,
                    account: account.id,
                    generation: generation
                )
            },
            at: 3
        )
        update.bind(state.wantsPerson ? 1 : 0, at: 4)
        update.bind(Int64(clamping: generation), at: 5)
        try update.run()
        try setState(state, of: account.id.bytes, at: now)
    }

    /// Notes where the key file is on this machine.
    func rememberKeyFile(_ path: String) throws {
        guard let slot = unlockedSlot else { return }
        try write {
            var update = try connection.prepare(
                "UPDATE key_slot SET key_file = ?2 WHERE number = ?1 AND kind = 2"
            )
            update.bind(Int64(slot.number), at: 1)
            update.bind(path, at: 2)
            try update.run()
        }
    }
}
