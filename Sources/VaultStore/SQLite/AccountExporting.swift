internal import FoundationEssentials
package import Platform
package import VaultCrypto
internal import VaultSQLite

/// Handing accounts to another vault.
extension VaultFile {
    /// Everything of these accounts, or of all, that another vault needs.
    ///
    /// A refresh token that may be spent goes out as such: whoever gets it could not know.
    package func export(
        _ names: [AccountName]? = nil,
        moving isMove: Bool = false,
        at now: Moment
    ) throws -> AccountExport {
        let accounts = try connection.read { try names.map(accounts(named:)) ?? allAccounts() }
        if isMove, let doubtful = accounts.first(where: \.isUnverified) {
            throw StoreError.unverified(doubtful.name)
        }
        return AccountExport(
            exported: now.wall,
            source: vaultID,
            isMove: isMove,
            accounts: accounts.map { $0.exported(moving: isMove, at: now) }
        )
    }

    /// Writes these accounts, or all, to a file that `passphrase` opens.
    ///
    /// Accounts that are moved are paused here, durably, before the file gets its name: never are
    /// two vaults free to spend one refresh token. Killed in between, they are paused here and
    /// nowhere else, and can be moved again. A file that cannot be written resumes them.
    ///
    /// - Throws: `StoreError.leftPaused` when it did not even resume them.
    @discardableResult
    package func export(
        _ names: [AccountName]? = nil,
        moving isMove: Bool = false,
        to path: String,
        passphrase: Secret,
        cost: PassphraseCost = .standard,
        at now: Moment
    ) throws -> AccountExport {
        guard isMove else {
            let export = try export(names, at: now)
            let file = try Self.prepare(export, passphrase, cost, path)
            defer { file.discard() }
            // Before there is a file: nobody takes accounts along unseen.
            try write {
                let names = export.accounts.map(\.name)
                try log(currentKeyring()).add(.exported, each: names, at: now.wall)
            }
            try Self.install(file)
            return export
        }
        return try move(names, to: path, passphrase, cost, at: now) {}
    }

    /// `afterPausing` runs before the file gets its name.
    func move(
        _ names: [AccountName]?,
        to path: String,
        _ passphrase: Secret,
        _ cost: PassphraseCost,
        at now: Moment,
        afterPausing: () throws -> Void
    ) throws -> AccountExport {
        try Self.withoutRefreshes(of: location) {
            let export = try export(names, moving: true, at: now)
            let file = try Self.prepare(export, passphrase, cost, path)
            defer { file.discard() }
            var paused: [Paused] = []
            do {
                try pause(export.accounts, at: now.wall, &paused)
                try afterPausing()
                try Self.install(file)
            } catch {
                guard (try? resume(paused)) != nil else {
                    throw StoreError.leftPaused(path: file.path)
                }
                throw error
            }
            return export
        }
    }

    private static func prepare(
        _ export: AccountExport,
        _ passphrase: Secret,
        _ cost: PassphraseCost,
        _ path: String
    ) throws -> ExportFile.Unfinished {
        ExportFile.removeLeftovers(of: path)
        do {
            let envelope = try ExportEnvelope.seal(
                export.encoded,
                under: SecretBytes(copying: passphrase),
                cost: cost
            )
            return try ExportFile.prepare(envelope, for: path)
        } catch let error as ExportError {
            throw StoreError.export(error)
        }
    }

    private static func install(_ file: ExportFile.Unfinished) throws(StoreError) {
        do {
            try file.install()
        } catch {
            throw error == .exists
                ? .fileExists(path: file.path) : .file(path: file.path, error)
        }
    }

    // MARK: - Pausing

    /// An account that was paused, and how it was before.
    private struct Paused {
        let account: AccountID
        let generation: UInt64
        let tokens: TokenSet
        let health: StoredAccount.Health
        /// What it was paused with.
        let held: TokenSet
    }

    /// Holds accounts as handed over; `paused` tells those even if the outcome is unknown.
    private func pause(
        _ accounts: [ExportedAccount],
        at date: Date,
        _ paused: inout [Paused]
    ) throws {
        try write(confirming: { _ in try paused.allSatisfy(isPaused) }) {
            paused = []
            let names = accounts.map(\.name)
            try log(currentKeyring()).add(.moved, each: names, at: date)
            for exported in accounts {
                guard let account = try account(exported.id),
                    account.generation == exported.generation
                else { throw StoreError.superseded }
                // Handed over before, and nothing to undo.
                guard account.tokens.hold?.reason != .moved else { continue }
                var tokens = account.tokens
                tokens.hold = Hold(reason: .moved, since: date)
                paused.append(
                    Paused(
                        account: account.id,
                        generation: account.generation,
                        tokens: account.tokens,
                        health: account.health,
                        held: tokens
                    )
                )
                let health = StoredAccount.Health(state: .paused, due: nil)
                try setTokens(tokens, health, of: account.id, generation: account.generation)
            }
        }
    }

    private func isPaused(_ paused: Paused) throws -> Bool {
        let account = try account(paused.account)
        return account?.generation == paused.generation && account?.tokens == paused.held
    }

    /// Takes the hold off where it is: what else happened to an account meanwhile stays.
    private func resume(_ paused: [Paused]) throws {
        let isResumed = { [self] () throws -> Bool in try !paused.contains(where: isPaused) }
        try write(confirming: isResumed) {
            for account in paused where try isPaused(account) {
                try setTokens(
                    account.tokens,
                    account.health,
                    of: account.account,
                    generation: account.generation
                )
            }
        }
    }

    /// Seals the tokens of a generation anew, without another pair.
    private func setTokens(
        _ tokens: TokenSet,
        _ health: StoredAccount.Health,
        of account: AccountID,
        generation: UInt64
    ) throws {
        let keyring = try currentKeyring()
        var update = try connection.prepare(
            """
            UPDATE account SET tokens_box = ?3, state = ?4, due_at = ?5 \
            WHERE account_id = ?1 AND generation = ?2
            """
        )
        update.bind(account.bytes, at: 1)
        update.bind(Int64(generation), at: 2)
        update.bind(try seal(tokens, account, generation: generation, keyring), at: 3)
        update.bind(health.state.rawValue, at: 4)
        update.bind(health.due?.unixSecondsNotEarlier, at: 5)
        try update.run()
        guard connection.changes == 1 else { throw StoreError.superseded }
    }

    // MARK: - Reading

    private func accounts(named names: [AccountName]) throws -> [StoredAccount] {
        var seen: Set<AccountName> = []
        return try names.filter { seen.insert($0).inserted }.map { try account(named: $0) }
    }

    private func allAccounts() throws -> [StoredAccount] {
        var accounts: [StoredAccount] = []
        while true {
            let page = try self.accounts(after: accounts.last?.name, limit: 256)
            accounts += page
            if page.count < 256 { return accounts }
        }
    }
}

extension StoredAccount {
    /// Whether nobody knows if the refresh token is spent, and only a refresh can tell.
    fileprivate var isUnverified: Bool { health.state == .verifyBeforeUse }

    fileprivate func exported(moving isMove: Bool, at now: Moment) -> ExportedAccount {
        var tokens = tokens
        tokens.accessTokens = tokens.accessTokens.map { $0.movable(at: now) }
        // Whoever gets the file of a move is the one who may spend them.
        if isMove, tokens.hold?.reason == .moved { tokens.hold = nil }
        // An answer that nobody received may have rotated the refresh token.
        if tokens.hold == nil, isUnverified || intent != nil {
            tokens.hold = Hold(reason: .restored, since: now.wall)
        }
        return ExportedAccount(
            id: id,
            generation: generation,
            settings: settings,
            tokens: tokens
        )
    }
}

extension StoredAccessToken {
    /// The token with its lifetime counted by the wall clock, which is all that two machines share.
    fileprivate func movable(at now: Moment) -> StoredAccessToken {
        var token = self
        let times = ExportedAccount.times
        let wall = now.wall.timeIntervalSince1970 - now.seconds(since: obtained)
        token.obtained = Moment(
            wall: Date(timeIntervalSince1970: min(max(wall, times.lowerBound), times.upperBound)),
            bootID: "",
            uptime: 0
        )
        return token
    }
}
