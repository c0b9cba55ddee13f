internal import VaultCrypto
internal import VaultSQLite

/// Moves sealed records from one keyring to another, each within its place: same account, same
/// kind, same generation.
///
/// A keyring that is rotating is both of them: it opens every epoch and seals under the active one.
struct Resealing {
    /// Rows of one transaction that others wait for.
    static let batch = 256

    let connection: Connection
    let from: Keyring
    let to: Keyring

    /// What became of one batch of rows.
    struct Batch {
        /// The last row looked at; nil when there was none.
        var last: Int64?
        var moved = 0
        /// Rows with a record that does not open, which were left as they are.
        var damaged: [StoreError.Part] = []
    }

    private var activeEpoch: [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: to.activeEpoch >> $0) }
    }

    // MARK: - Accounts

    private static let accountIsOld = """
        (substr(account_box, 1, 4) <> ?1 OR substr(tokens_box, 1, 4) <> ?1 \
        OR (intent_box IS NOT NULL AND substr(intent_box, 1, 4) <> ?1))
        """

    /// Moves the next accounts that have a record of another epoch.
    ///
    /// A damaged page may give rows that were not asked for, and the same ones for ever.
    func moveAccounts(after number: Int64) throws -> Batch {
        var batch = Batch()
        for row in try oldAccounts(after: number) where row.number > number {
            batch.last = row.number
            do {
                try write(moved(row))
                batch.moved += 1
            } catch is SealingError {
                batch.damaged.append(.account(row.name))
            }
        }
        return batch
    }

    private struct AccountRow {
        let number: Int64
        let id: [UInt8]
        let name: String
        let revision: UInt64
        let generation: UInt64
        var accountBox: [UInt8]
        var tokensBox: [UInt8]
        var intentBox: [UInt8]?
        var refreshTokenHash: [UInt8]?
        var clientHash: [UInt8]?
        /// Set where their hints are to be written anew.
        var tags: Set<AccountTag>?
    }

    private func oldAccounts(after number: Int64) throws -> [AccountRow] {
        var select = try connection.prepare(
            """
            SELECT number, account_id, name, revision, generation, account_box, tokens_box, \
            intent_box, refresh_token_hash, client_hash FROM account \
            WHERE number > ?2 AND \(Self.accountIsOld) ORDER BY number LIMIT ?3
            """
        )
        select.bind(activeEpoch, at: 1)
        select.bind(number, at: 2)
        select.bind(Int64(Self.batch), at: 3)
        var rows: [AccountRow] = []
        while try select.step() {
            rows.append(
                AccountRow(
                    number: select.integer(at: 0),
                    id: select.blob(at: 1),
                    name: select.text(at: 2),
                    revision: UInt64(clamping: select.integer(at: 3)),
                    generation: UInt64(clamping: select.integer(at: 4)),
                    accountBox: select.blob(at: 5),
                    tokensBox: select.blob(at: 6),
                    intentBox: select.optionalBlob(at: 7),
                    refreshTokenHash: select.optionalBlob(at: 8),
                    clientHash: select.optionalBlob(at: 9)
                )
            )
        }
        return rows
    }

    private func moved(_ row: AccountRow) throws(SealingError) -> AccountRow {
        guard let id = AccountID(row.id) else { throw SealingError() }
        var row = row
        let settings = try open(row.accountBox, .account, id, row.revision)
        row.accountBox = seal(settings, .account, id, row.revision)
        let tokens = try open(row.tokensBox, .tokens, id, row.generation)
        row.tokensBox = seal(tokens, .tokens, id, row.generation)
        if let box = row.intentBox {
            var intent = try open(box, .intent, id, row.generation)
            if isRekeying { intent = try Self.rehashed(intent, tokens, from, to) }
            row.intentBox = seal(intent, .intent, id, row.generation)
        }
        if isRekeying {
            row.refreshTokenHash = try TokenRecord.decode(tokens).refreshToken
                .map { to.spentTokenHash(of: $0) }
            let settings = try AccountRecord.decode(settings)
            row.clientHash = ClientHashes(settings, to).client
            row.tags = settings.tags
        }
        return row
    }

    private func write(_ row: AccountRow) throws {
        var update = try connection.prepare(
            """
            UPDATE account SET account_box = ?2, tokens_box = ?3, intent_box = ?4, \
            refresh_token_hash = ?5, client_hash = ?6 WHERE number = ?1
            """
        )
        update.bind(row.number, at: 1)
        update.bind(row.accountBox, at: 2)
        update.bind(row.tokensBox, at: 3)
        update.bind(row.intentBox, at: 4)
        update.bind(row.refreshTokenHash, at: 5)
        update.bind(row.clientHash, at: 6)
        try update.run()
        guard let tags = row.tags, let id = AccountID(row.id) else { return }
        try TagHints(connection: connection, keyring: to).set(tags, of: id)
    }

    // MARK: - Pairs kept aside

    /// Moves the next pairs kept aside that are of another epoch.
    func moveReceivedTokens(after number: Int64) throws -> Batch {
        var batch = Batch()
        for row in try oldReceivedTokens(after: number) where row.number > number {
            batch.last = row.number
            guard let id = AccountID(row.id),
                let tokens = try? open(row.box, .receivedToken, id, row.generation)
            else {
                batch.damaged.append(.receivedToken(number: row.number))
                continue
            }
            var update = try connection.prepare(
                "UPDATE received_token SET tokens_box = ?2 WHERE number = ?1"
            )
            update.bind(row.number, at: 1)
            update.bind(seal(tokens, .receivedToken, id, row.generation), at: 2)
            try update.run()
            batch.moved += 1
        }
        return batch
    }

    private typealias ReceivedRow = (number: Int64, id: [UInt8], generation: UInt64, box: [UInt8])

    private func oldReceivedTokens(after number: Int64) throws -> [ReceivedRow] {
        var select = try connection.prepare(
            """
            SELECT number, account_id, generation, tokens_box FROM received_token \
            WHERE number > ?2 AND substr(tokens_box, 1, 4) <> ?1 ORDER BY number LIMIT ?3
            """
        )
        select.bind(activeEpoch, at: 1)
        select.bind(number, at: 2)
        select.bind(Int64(Self.batch), at: 3)
        var rows: [ReceivedRow] = []
        while try select.step() {
            rows.append(
                (
                    select.integer(at: 0), select.blob(at: 1),
                    UInt64(clamping: select.integer(at: 2)), select.blob(at: 3)
                )
            )
        }
        return rows
    }

    // MARK: - What is left

    /// Rows with a record of another epoch than the active one.
    func left() throws -> [StoreError.Part] {
        var accounts = try connection.prepare(
            "SELECT name FROM account WHERE \(Self.accountIsOld) ORDER BY number LIMIT ?2"
        )
        accounts.bind(activeEpoch, at: 1)
        accounts.bind(Int64(Self.batch), at: 2)
        var parts: [StoreError.Part] = []
        while try accounts.step() { parts.append(.account(accounts.text(at: 0))) }
        var received = try connection.prepare(
            """
            SELECT number FROM received_token WHERE substr(tokens_box, 1, 4) <> ?1 \
            ORDER BY number LIMIT ?2
            """
        )
        received.bind(activeEpoch, at: 1)
        received.bind(Int64(Self.batch), at: 2)
        while try received.step() { parts.append(.receivedToken(number: received.integer(at: 0))) }
        return parts
    }

    // MARK: - One record

    private var isRekeying: Bool { from !== to }

    private func open(
        _ box: [UInt8],
        _ kind: RecordKind,
        _ account: AccountID,
        _ generation: UInt64
    ) throws(SealingError) -> Secret {
        try from.open(box, kind: kind, account: account, generation: generation)
    }

    private func seal(
        _ plaintext: Secret,
        _ kind: RecordKind,
        _ account: AccountID,
        _ generation: UInt64
    ) -> [UInt8] {
        to.seal(plaintext, kind: kind, account: account, generation: generation)
    }

    /// An intent with its hash made under the new root key, where it is known what was hashed.
    private static func rehashed(
        _ plaintext: Secret,
        _ tokens: Secret,
        _ from: Keyring,
        _ to: Keyring
    ) throws(SealingError) -> Secret {
        var intent = try IntentRecord.decode(plaintext)
        let set = try TokenRecord.decode(tokens)
        for token in [set.refreshToken, set.previous?.value].compactMap({ $0 })
        where from.spentTokenHashes(of: token).contains(intent.refreshTokenHash) {
            intent.refreshTokenHash = to.spentTokenHash(of: token)
            break
        }
        return IntentRecord.encode(intent)
    }
}
