package import FoundationEssentials
package import Platform
internal import VaultCrypto
internal import VaultSQLite

/// When an imported account's next refresh is planned: the store knows of no schedule.
package typealias DuePlan = (ExportedAccount, _ now: Moment) -> Date?

/// Taking in accounts from another vault.
extension VaultFile {
    /// Takes in all accounts of an export in one transaction, or none if there is anything against
    /// one of them.
    ///
    /// `isReplacing` says whether a later pair takes the place of one that is in use here. Nothing
    /// was done where the report says that it is refused.
    package func importAccounts(
        of export: AccountExport,
        replacing isReplacing: Bool = false,
        at now: Moment,
        due: DuePlan
    ) throws -> ImportReport {
        try write(confirming: { try holds(export, as: $0) }) {
            let keyring = try currentKeyring()
            let plan = try plan(for: export, isReplacing, keyring)
            guard !plan.report.isRefused else { return plan.report }
            let isEmpty = try hints(after: nil, limit: 1).isEmpty
            for (account, place) in plan.writes {
                let due = account.state.wantsPerson ? nil : due(account, now)
                let row = AccountRow(account, place, due: due, now: now)
                try store(row, keyring)
            }
            let names = zip(export.accounts, plan.report.entries)
                .filter { $1.isTaken }.map { $0.0.name }
            try log(keyring).add(.imported, each: names, at: now.wall)
            if isEmpty, let first = plan.writes.first {
                try select(first.account.id, with: keyring)
            }
            return plan.report
        }
    }

    /// Whether every account that an import wrote is here with its pair, or with a later one.
    private func holds(_ export: AccountExport, as report: ImportReport) throws -> Bool {
        try zip(export.accounts, report.entries).allSatisfy { exported, entry in
            guard entry.isTaken else { return true }
            guard let here = try account(exported.id) else { return false }
            return here.generation > exported.generation
                || here.generation == exported.generation && here.tokens == exported.tokens
        }
    }

    /// What importing an export would do; nothing is written.
    package func importReport(
        of export: AccountExport,
        replacing isReplacing: Bool = false
    ) throws -> ImportReport {
        try connection.read { try plan(for: export, isReplacing, currentKeyring()).report }
    }

    private func plan(
        for export: AccountExport,
        _ isReplacing: Bool,
        _ keyring: Keyring
    ) throws -> ImportPlan {
        var plan = ImportPlan(isMove: export.isMove, isReplacing: isReplacing)
        for account in export.accounts {
            let hashes = account.tokens.refreshToken.map { keyring.spentTokenHashes(of: $0) } ?? []
            // The others are those of earlier root keys: what was spent is remembered by them too.
            let hash = hashes.first
            plan.decide(
                on: account,
                hash: hash,
                ImportPlan.Here(
                    same: try self.account(account.id),
                    isSpent: try hashes.contains(where: isSpent),
                    holder: try hash.flatMap { try holder(of: $0, besides: account.id) },
                    isNameTaken: try isTaken(account.name, besides: account.id)
                )
            )
        }
        return plan
    }

    /// The other account that has this refresh token.
    private func holder(of hash: [UInt8], besides account: AccountID) throws -> AccountName? {
        var stored = try connection.prepare(
            "SELECT name FROM account WHERE refresh_token_hash = ?1 AND account_id <> ?2"
        )
        stored.bind(hash, at: 1)
        stored.bind(account.bytes, at: 2)
        return try stored.step() ? AccountName(stored.text(at: 0)) : nil
    }

    private func isTaken(_ name: AccountName, besides account: AccountID) throws -> Bool {
        var stored = try connection.prepare(
            "SELECT 1 FROM account WHERE name = ?1 AND account_id <> ?2"
        )
        stored.bind(name.text, at: 1)
        stored.bind(account.bytes, at: 2)
        return try stored.step()
    }

    // MARK: - Writing

    /// A row to be written, for the first time or in place of the same account's.
    private struct AccountRow {
        let account: ExportedAccount
        let revision: UInt64
        let state: AccountState
        let expiry: Date?
        let due: Date?
        let since: Date

        init(_ account: ExportedAccount, _ place: ImportPlan.Place, due: Date?, now: Moment) {
            var account = account
            switch place {
            case .new: revision = 1
            case .existing(let here):
                revision = here.revision + 1
                // What began with the old pair must not end in the new one.
                account.generation = max(account.generation, here.generation + 1)
                // A name is the vault's own, and so are tags where none come with the account.
                account.settings.name = here.name
                if account.settings.tags.isEmpty { account.settings.tags = here.settings.tags }
            }
            self.account = account
            state = account.state
            expiry = account.tokens.defaultToken?.expiry(at: now)
            self.due = due
            since = now.wall
        }
    }

    private func store(_ row: AccountRow, _ keyring: Keyring) throws {
        let account = row.account
        var insert = try connection.prepare(
            """
            INSERT INTO account (account_id, name, revision, account_box, generation, \
            tokens_box, refresh_token_hash, state, expires_at, due_at, client_hash, \
            state_since, grant_ends_at) \
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) \
            ON CONFLICT (account_id) DO UPDATE SET revision = ?3, account_box = ?4, \
            generation = ?5, tokens_box = ?6, intent_box = NULL, refresh_token_hash = ?7, \
            expires_at = ?9, due_at = ?10, client_hash = ?11, failure_count = 0, \
            failure = NULL, failed_at = NULL, grant_ends_at = ?13, grant_end_told = 0
            """
        )
        insert.bind(account.tokens.grantEnd(account.settings.provider)?.toldOf, at: 13)
        insert.bind(ClientHashes(account.settings, keyring).client, at: 11)
        insert.bind(row.since.unixSeconds, at: 12)
        insert.bind(account.id.bytes, at: 1)
        insert.bind(account.name.text, at: 2)
        insert.bind(Int64(row.revision), at: 3)
        insert.bind(
            try seal(account.settings, account.id, revision: row.revision, keyring),
            at: 4
        )
        insert.bind(Int64(account.generation), at: 5)
        insert.bind(
            try seal(account.tokens, account.id, generation: account.generation, keyring),
            at: 6
        )
        insert.bind(account.tokens.refreshToken.map { keyring.spentTokenHash(of: $0) }, at: 7)
        // What it is really in is a change, told like any other.
        insert.bind(AccountState.active.rawValue, at: 8)
        insert.bind(row.expiry?.unixSeconds, at: 9)
        insert.bind(row.due?.unixSecondsNotEarlier, at: 10)
        try insert.run()
        let hints = TagHints(connection: connection, keyring: keyring)
        try hints.set(account.settings.tags, of: account.id)
        try setState(row.state, of: account.id.bytes, at: row.since)
    }
}

extension ExportedAccount {
    /// The state that the tokens speak of.
    var state: AccountState {
        if tokens.signInNeeded != nil { return .signInNeeded }
        return tokens.hold?.reason.state ?? (settings.grantKind == .static ? .static : .active)
    }
}
