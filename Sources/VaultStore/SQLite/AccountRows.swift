internal import FoundationEssentials
package import VaultCrypto
internal import VaultSQLite

/// Reading accounts: rows in, opened accounts out.
extension VaultFile {
    private static let columns = """
        number, account_id, name, revision, account_box, generation, tokens_box, intent_box, \
        state, due_at, failure_count, failure, failed_at, refresh_token_hash, \
        \(isHashSpent), state_since
        """

    /// Whether the hash in the row is that of a spent refresh token.
    static let isHashSpent =
        "EXISTS (SELECT 1 FROM spent_token WHERE hash = account.refresh_token_hash)"

    // Put together once: this is what every look-up begins with.
    private static let selectByName = "SELECT \(columns) FROM account WHERE name = ?1"

    /// The account of this name.
    package func account(named name: AccountName) throws -> StoredAccount {
        var select = try connection.prepare(Self.selectByName)
        select.bind(name.text, at: 1)
        guard try select.step() else { throw StoreError.noSuchAccount(name) }
        return try openRow(&select)
    }

    /// The account with this identifier; nil when it was removed.
    package func account(_ id: AccountID) throws -> StoredAccount? {
        var select = try connection.prepare(
            "SELECT \(Self.columns) FROM account WHERE account_id = ?1"
        )
        select.bind(id.bytes, at: 1)
        return try select.step() ? try openRow(&select) : nil
    }

    /// A page of accounts in the order of their names.
    package func accounts(after name: AccountName?, limit: Int) throws -> [StoredAccount] {
        var select = try connection.prepare(
            "SELECT \(Self.columns) FROM account WHERE name > ?1 ORDER BY name LIMIT ?2"
        )
        select.bind(name?.text ?? "", at: 1)
        select.bind(Int64(limit), at: 2)
        var accounts: [StoredAccount] = []
        while try select.step() { accounts.append(try openRow(&select)) }
        return accounts
    }

    /// The number of accounts.
    package func accountCount() throws -> Int {
        var select = try connection.prepare("SELECT count(*) FROM account")
        return try select.step() ? Int(select.integer(at: 0)) : 0
    }

    // MARK: - Opening a row

    /// Opens a row's records.
    ///
    /// One that was sealed under a keyring newer than ours gets a second try.
    private func openRow(_ row: inout Statement) throws -> StoredAccount {
        do {
            return try openRow(&row, with: keyring())
        } catch is SealingError {
            let newer = try currentKeyring()
            do {
                return try openRow(&row, with: newer)
            } catch is SealingError {
                throw StoreError.tampered(.account(row.text(at: 2)))
            }
        }
    }

    private func openRow(_ row: inout Statement, with keyring: Keyring) throws -> StoredAccount {
        guard let id = AccountID(row.blob(at: 1)) else { throw SealingError() }
        let revision = UInt64(clamping: row.integer(at: 3))
        let generation = UInt64(clamping: row.integer(at: 5))
        let settings = try AccountRecord.decode(
            row.withBlob(at: 4) { box throws(SealingError) in
                try keyring.open(box, kind: .account, account: id, generation: revision)
            }
        )
        guard settings.name.text == row.text(at: 2) else { throw SealingError() }
        let tokens = try TokenRecord.decode(
            row.withBlob(at: 6) { box throws(SealingError) in
                try keyring.open(box, kind: .tokens, account: id, generation: generation)
            }
        )
        let intent = try row.optionalBlob(at: 7).map { box in
            try IntentRecord.decode(
                keyring.open(box, kind: .intent, account: id, generation: generation)
            )
        }
        return StoredAccount(
            number: row.integer(at: 0),
            id: id,
            revision: revision,
            settings: settings,
            generation: generation,
            tokens: tokens,
            intent: intent,
            health: try health(&row, settings, tokens, keyring)
        )
    }

    private func health(
        _ row: inout Statement,
        _ settings: AccountSettings,
        _ tokens: TokenSet,
        _ keyring: Keyring
    ) throws -> StoredAccount.Health {
        let count = Int(row.integer(at: 10))
        return StoredAccount.Health(
            state: try state(&row, settings, tokens, keyring),
            due: row.optionalInteger(at: 9).map { Date(unixSeconds: $0) },
            failures: count == 0
                ? nil
                : StoredAccount.Failures(
                    count: count,
                    last: row.text(at: 11),
                    at: Date(unixSeconds: row.integer(at: 12))
                ),
            since: row.optionalInteger(at: 15).map { Date(unixSeconds: $0) }
        )
    }

    /// The state that the tokens speak of, else the one that the column has.
    private func state(
        _ row: inout Statement,
        _ settings: AccountSettings,
        _ tokens: TokenSet,
        _ keyring: Keyring
    ) throws -> AccountState {
        if tokens.signInNeeded != nil { return .signInNeeded }
        if let hold = tokens.hold { return hold.reason.state }
        // A row that was put back whole opens. Its refresh token was spent since, and spending it
        // again may end the grant.
        if try isSpent(&row, tokens, keyring) { return .verifyBeforeUse }
        let hinted = AccountState(rawValue: row.text(at: 8)) ?? .active
        let isRenewable = settings.isRenewable(with: tokens.refreshToken)
        if hinted == .signInNeeded, !isRenewable { return hinted }
        if settings.grantKind == .static { return .static }
        // Only the seal, or the list of spent tokens, says that a person is needed.
        return hinted.wantsPerson || hinted == .static ? .active : hinted
    }

    /// Whether the refresh token of a row was spent: what the row itself found, if it looked for the
    /// right hash.
    private func isSpent(
        _ row: inout Statement,
        _ tokens: TokenSet,
        _ keyring: Keyring
    ) throws -> Bool {
        let isFound = row.integer(at: 14) != 0
        return try row.withBlob(at: 13) { hash in
            try tokens.refreshToken?.withBytes { token in
                try isSpent(token, hash: hash, isFound, keyring)
            } ?? false
        }
    }

    /// Whether a refresh token was spent here, where a hash that may be its own was looked for.
    func isSpent(
        _ token: Span<UInt8>,
        hash: Span<UInt8>,
        _ isFound: Bool,
        _ keyring: Keyring
    ) throws -> Bool {
        let isHashRight = keyring.spentTokenHash(hash, isOf: token)
        if isHashRight, isFound { return true }
        // After a new root key there are other hashes that it may be remembered by.
        guard !isHashRight || keyring.earlierSpentKeyCount > 0 else { return false }
        return try keyring.spentTokenHashes(of: token).contains(where: self.isSpent)
    }

    /// Whether a refresh token of this hash was spent here.
    func isSpent(_ hash: [UInt8]) throws -> Bool {
        var select = try connection.prepare("SELECT 1 FROM spent_token WHERE hash = ?1")
        select.bind(hash, at: 1)
        return try select.step()
    }
}

extension Date {
    /// Whole seconds since 1970, rounded down and within what a column holds.
    var unixSeconds: Int64 { unixSeconds(.down) }

    /// The same, rounded up: what is due is never due early, or a server that asked for some seconds
    /// of peace would not get all of them.
    var unixSecondsNotEarlier: Int64 { unixSeconds(.up) }

    private func unixSeconds(_ rule: FloatingPointRoundingRule) -> Int64 {
        Int64(exactly: timeIntervalSince1970.rounded(rule))
            ?? (timeIntervalSince1970 < 0 ? 0 : .max)
    }

    init(unixSeconds: Int64) {
        self.init(timeIntervalSince1970: TimeInterval(unixSeconds))
    }
}
