internal import VaultCrypto
internal import VaultSQLite

/// The sealed records, each opened in its place and compared with the columns beside it.
extension Verification {
    /// Rows between which others may write.
    private static let pageSize = 64

    mutating func checkAccounts(_ progress: (Int) -> Void) throws {
        var last: String?
        while true {
            var names: [String] = []
            try look(at: .database) { checks in
                try checks.connection.read {
                    let keyring = try checks.openKeyring()
                    names = try checks.file.accountNames(after: last, limit: Self.pageSize)
                    for name in names { try checks.checkAccount(name, keyring) }
                }
            }
            guard let name = names.last else { break }
            last = name
            report.accounts += names.count
            progress(report.accounts)
        }
    }

    private mutating func checkAccount(
        _ name: String,
        _ keyring: Keyring?
    ) throws {
        let part = VerificationReport.Part.account(name)
        try look(at: part) { checks in
            guard AccountName(name) != nil, let row = try checks.row(named: name) else {
                return checks.find(.unreadable, in: part)
            }
            if let hash = row.refreshTokenHash, try checks.isHashShared(hash, before: name) {
                // Each would log the other out.
                checks.find(.differs("refresh_token_hash"), in: part)
            }
            if let keyring {
                checks.open(row, name, keyring)
            } else {
                checks.checkShape(of: row, part)
            }
        }
    }

    /// Whether an account that was looked at before has the same refresh token.
    ///
    /// The index knows; a million hashes in memory would be more than all else together.
    private func isHashShared(_ hash: [UInt8], before name: String) throws -> Bool {
        var select = try connection.prepare(
            "SELECT 1 FROM account WHERE refresh_token_hash = ?1 AND name < ?2 LIMIT 1"
        )
        select.bind(hash, at: 1)
        select.bind(name, at: 2)
        return try select.step()
    }

    private mutating func checkShape(of row: Row, _ part: VerificationReport.Part) {
        let boxes = [
            ("account_box", row.settings), ("tokens_box", row.tokens),
            ("intent_box", row.intent),
        ]
        for case (let column, let box?) in boxes where !SealedShape.isRecord(box) {
            find(.sealed(column), in: part)
        }
    }

    private mutating func open(_ row: Row, _ name: String, _ keyring: Keyring) {
        let part = VerificationReport.Part.account(name)
        guard let id = AccountID(row.id) else { return find(.differs("account_id"), in: part) }
        func opened(
            _ box: [UInt8],
            _ kind: RecordKind,
            _ generation: Int64
        ) throws(SealingError) -> Secret {
            guard let generation = UInt64(exactly: generation) else { throw SealingError() }
            return try keyring.open(box, kind: kind, account: id, generation: generation)
        }
        let hints = TagHints(connection: connection, keyring: keyring)
        check("account_box", part) { () throws(SealingError) in
            let settings = try AccountRecord.decode(opened(row.settings, .account, row.revision))
            guard settings.name.text == name else { return "name" }
            return hints.hashes(of: settings.tags) == row.tagHashes
                ? nil
                : VerificationReport.Finding.tagHash
        }
        check("tokens_box", part) { () throws(SealingError) in
            let tokens = try TokenRecord.decode(opened(row.tokens, .tokens, row.generation))
            let hash = tokens.refreshToken.map { keyring.spentTokenHash(of: $0) }
            return hash == row.refreshTokenHash ? nil : "refresh_token_hash"
        }
        guard let intent = row.intent else { return }
        check("intent_box", part) { () throws(SealingError) in
            _ = try IntentRecord.decode(opened(intent, .intent, row.generation))
            return nil
        }
    }

    /// Counts a record that opens; `body` gives the column that says something else, if one does.
    private mutating func check(
        _ box: String,
        _ part: VerificationReport.Part,
        _ body: () throws(SealingError) -> String?
    ) {
        do throws(SealingError) {
            if let column = try body() { find(.differs(column), in: part) }
            report.records += 1
        } catch {
            find(.sealed(box), in: part)
        }
    }

    /// An account's row as it stands.
    private struct Row {
        let id: [UInt8]
        let revision: Int64
        let settings: [UInt8]
        let generation: Int64
        let tokens: [UInt8]
        let intent: [UInt8]?
        let refreshTokenHash: [UInt8]?
        let tagHashes: Set<[UInt8]>
    }

    private func row(named name: String) throws -> Row? {
        var select = try connection.prepare(
            """
            SELECT account_id, revision, account_box, generation, tokens_box, intent_box, \
            refresh_token_hash FROM account WHERE name = ?1
            """
        )
        select.bind(name, at: 1)
        guard try select.step() else { return nil }
        return Row(
            id: select.blob(at: 0),
            revision: select.integer(at: 1),
            settings: select.blob(at: 2),
            generation: select.integer(at: 3),
            tokens: select.blob(at: 4),
            intent: select.optionalBlob(at: 5),
            refreshTokenHash: select.optionalBlob(at: 6),
            tagHashes: try TagHints.hashes(of: select.blob(at: 0), in: connection)
        )
    }

    /// Hints of an account that is there are compared with its record.
    mutating func checkTags() throws {
        var select = try connection.prepare(
            """
            SELECT 1 FROM account_tag WHERE NOT EXISTS \
            (SELECT 1 FROM account WHERE account.account_id = account_tag.account_id) LIMIT 1
            """
        )
        if try select.step() { find(.orphaned, in: .tags) }
    }

    // MARK: - What outlives accounts

    mutating func checkReceivedTokens() throws {
        var last = Int64.min
        // A damaged page may give the same row for ever.
        while let number = try receivedToken(after: last), number > last {
            last = number
            let part = VerificationReport.Part.receivedToken(number)
            try look(at: part) { checks in
                try checks.connection.read { try checks.checkReceivedToken(number) }
            }
        }
    }

    private func receivedToken(after number: Int64) throws -> Int64? {
        var select = try connection.prepare(
            "SELECT number FROM received_token WHERE number > ?1 ORDER BY number LIMIT 1"
        )
        select.bind(number, at: 1)
        return try select.step() ? select.integer(at: 0) : nil
    }

    private mutating func checkReceivedToken(_ number: Int64) throws {
        let keyring = try openKeyring()
        let part = VerificationReport.Part.receivedToken(number)
        var select = try connection.prepare(
            "SELECT account_id, generation, tokens_box FROM received_token WHERE number = ?1"
        )
        select.bind(number, at: 1)
        // It may have been forgotten meanwhile.
        guard try select.step() else { return }
        let (id, generation, box) = (
            select.blob(at: 0), select.integer(at: 1), select.blob(at: 2)
        )
        guard let keyring else {
            if !SealedShape.isRecord(box) { find(.sealed("tokens_box"), in: part) }
            return
        }
        check("tokens_box", part) { () throws(SealingError) in
            guard let account = AccountID(id), let generation = UInt64(exactly: generation) else {
                throw SealingError()
            }
            _ = try TokenRecord.decode(
                keyring.open(
                    box,
                    kind: .receivedToken,
                    account: account,
                    generation: generation
                )
            )
            return nil
        }
    }

    /// The rows of the log that nothing vouches for.
    mutating func checkActivity() throws {
        var changed = 0
        var last: Int64?
        repeat {
            let page = try connection.read {
                let keyring = try openKeyring()
                return try connection.activity(after: last, limit: Self.pageSize)
                    .map { $0.entry(keyring) }
            }
            changed += page.count { $0.isGenuine == false }
            last = page.last?.number
        } while last != nil
        if changed > 0 { find(.changedRows(changed), in: .activity) }
    }

    /// Hashes can only be counted: what was hashed is gone.
    mutating func checkSpentTokens() throws {
        var select = try connection.prepare(
            """
            SELECT count(*) FROM spent_token NOT INDEXED \
            WHERE length(hash) <> 32 OR length(account_id) <> 16
            """
        )
        if try select.step(), select.integer(at: 0) > 0 { find(.malformed, in: .spentTokens) }
    }
}
