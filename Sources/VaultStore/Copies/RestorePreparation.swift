internal import FoundationEssentials
internal import VaultCrypto
internal import VaultSQLite

/// Prepares a private copy for taking the place of the vault that is here, while nobody else
/// changes that.
struct RestorePreparation {
    let copy: VaultFile
    /// The vault that is here, of the same identifier; nil when there is none that can be read.
    let live: VaultFile?
    let now: Date

    private static let pageSize = 64

    func run() throws -> RestoreReport {
        try copy.write { try prepare() }
    }

    /// Prepares the copy for what `body` makes of it, and leaves it as it was: an attempt that has
    /// to be repeated begins with the copy that was given.
    func trying<Result>(_ body: (RestoreReport) throws -> Result) throws -> Result {
        try copy.prepareForWriting()
        try copy.connection.execute("BEGIN IMMEDIATE")
        defer { try? copy.connection.execute("ROLLBACK") }
        return try body(prepare())
    }

    private func prepare() throws -> RestoreReport {
        try copy.beginIncarnation()
        if let live {
            try takeActivity(of: live)
            try takeSpentTokens(of: live)
            try takeLateTokens(of: live)
            try copy.keepNumbersUnused(upTo: live.lastAccountNumber())
            try copy.keepStateChangesUnused(upTo: live.stateChangeCount())
        }
        // Each account's are written with it: those of no account, and wrong ones, stay behind.
        try copy.connection.execute("DELETE FROM account_tag")
        let report = try report(prepareAccounts())
        try copy.log(copy.currentKeyring()).add(.restored, at: now)
        return report
    }

    // MARK: - Accounts

    private func prepareAccounts() throws -> [RestoreReport.Account] {
        var results: [RestoreReport.Account] = []
        var last: AccountName?
        while true {
            let page = try copy.accounts(after: last, limit: Self.pageSize)
            for account in page { results.append(try prepare(account)) }
            last = page.last?.name
            if page.count < Self.pageSize { return results }
        }
    }

    private func prepare(_ account: StoredAccount) throws -> RestoreReport.Account {
        let twin = try live?.twin(of: account.id)
        let hash = try copy.hash(of: account.tokens)
        let isCurrent = twin.map { isSame(account, hash, $0) } ?? false
        var tokens = account.tokens
        var intent = account.intent
        var generation = account.generation
        if isCurrent, let known = twin?.account {
            // The same grant: what was learned of it since stays known.
            tokens = known.tokens
            intent = known.intent
            generation = known.generation
        } else if let twin, !isCurrent || twin.generation != generation {
            // To whoever saw the pairs that came after this one, it is the next.
            generation = max(generation, twin.generation) + 1
        }
        if !isCurrent, try mayBeSpent(account, hash, twin) {
            tokens.hold = Hold(reason: twin?.isMoved == true ? .moved : .restored, since: now)
        }
        if tokens != account.tokens || intent != account.intent || generation != account.generation
        {
            try copy.rewrite(account, tokens, intent, generation: generation, at: now)
        }
        let hints = TagHints(connection: copy.connection, keyring: try copy.currentKeyring())
        try hints.set(account.settings.tags, of: account.id)
        guard let prepared = try copy.account(account.id) else {
            throw StoreError.tampered(.account(account.name.text))
        }
        return RestoreReport.Account(
            name: account.name,
            state: prepared.health.state,
            isUnchanged: isCurrent
        )
    }

    /// Whether the vault that is here has the very grant of the copy, unspent since.
    ///
    /// Its columns alone do not say so: what became of the grant is in the records.
    private func isSame(
        _ account: StoredAccount,
        _ hash: [UInt8]?,
        _ twin: VaultFile.Twin
    ) -> Bool {
        isComparable && twin.account != nil && twin.hash == hash
            && (hash != nil || twin.generation == account.generation)
    }

    /// Whether a refresh token that is not the one in use here may have been spent since.
    private func mayBeSpent(
        _ account: StoredAccount,
        _ hash: [UInt8]?,
        _ twin: VaultFile.Twin?
    ) throws -> Bool {
        guard hash != nil, account.tokens.hold?.reason != .moved else { return false }
        // Where nobody can tell, a successor may well exist.
        guard isComparable, twin == nil else { return true }
        return try account.tokens.previous != nil || copy.hasSpentTokens(account.id)
    }

    private func report(_ accounts: [RestoreReport.Account]) throws -> RestoreReport {
        var report = RestoreReport(accounts: accounts)
        guard let live else { return report }
        let restored = Set(accounts.map(\.name.text))
        var last: String?
        while true {
            let names = try live.accountNames(after: last, limit: Self.pageSize)
            report.missing += names.filter { !restored.contains($0) }
            last = names.last
            if names.count < Self.pageSize { return report }
        }
    }

    // MARK: - What is vault-wide

    /// Whether hashes of the two vaults say anything about each other: under another root key they
    /// are other hashes.
    private var isComparable: Bool { live?.hasRootKey(of: copy) ?? false }

    /// What was done since the copy was made stays known; where nothing vouches for that under the
    /// copy's root key, what the copy has is kept.
    private func takeActivity(of live: VaultFile) throws {
        guard isComparable else { return }
        try copy.connection.execute("DELETE FROM activity")
        var select = try live.connection.prepare("SELECT * FROM activity")
        while try select.step() {
            var insert = try copy.connection.prepare(
                "INSERT INTO activity VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
            )
            try insert.bindRow(of: select)
            try insert.run()
        }
    }

    /// Those of before a change of the root key are under the copy's, and the others harm nobody.
    private func takeSpentTokens(of live: VaultFile) throws {
        var select = try live.connection.prepare(
            "SELECT hash, account_id, spent_at FROM spent_token"
        )
        while try select.step() {
            var insert = try copy.connection.prepare(
                "INSERT OR IGNORE INTO spent_token (hash, account_id, spent_at) VALUES (?1, ?2, ?3)"
            )
            insert.bind(select.blob(at: 0), at: 1)
            insert.bind(select.blob(at: 1), at: 2)
            insert.bind(select.integer(at: 2), at: 3)
            try insert.run()
        }
    }

    /// Pairs that came too late are dropped by nobody but time.
    private func takeLateTokens(of live: VaultFile) throws {
        guard live.isUnlocked else { return }
        let (old, new) = (try live.currentKeyring(), try copy.currentKeyring())
        var select = try live.connection.prepare(
            "SELECT account_id, generation, received_at, tokens_box FROM received_token"
        )
        while try select.step() {
            guard let account = AccountID(select.blob(at: 0)) else { continue }
            let generation = UInt64(clamping: select.integer(at: 1))
            guard
                let tokens = try? old.open(
                    select.blob(at: 3),
                    kind: .receivedToken,
                    account: account,
                    generation: generation
                )
            else { continue }
            let box = new.seal(
                tokens,
                kind: .receivedToken,
                account: account,
                generation: generation
            )
            var insert = try copy.connection.prepare(
                """
                INSERT INTO received_token (account_id, generation, received_at, tokens_box) \
                SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS (SELECT 1 FROM received_token \
                WHERE account_id = ?1 AND generation = ?2 AND received_at = ?3)
                """
            )
            insert.bind(account.bytes, at: 1)
            insert.bind(Int64(clamping: generation), at: 2)
            insert.bind(select.integer(at: 2), at: 3)
            insert.bind(box, at: 4)
            try insert.run()
        }
    }
}
