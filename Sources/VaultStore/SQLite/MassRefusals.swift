internal import FoundationEssentials
internal import VaultCrypto
internal import VaultSQLite

/// Not believing a server that refuses very many grants of one client at once.
///
/// A fault on its side would else send a person to every one of those sign-ins.
extension VaultFile {
    /// What a refusal comes to: itself, or a doubt when too many accounts of its client are refused.
    ///
    /// The refusal that makes them too many takes back those just before it.
    func believed(
        _ abandonment: Abandonment,
        of account: StoredAccount,
        _ keyring: Keyring,
        at now: Date
    ) throws -> Abandonment {
        // A probe of a grant that is refused already is no news.
        guard abandonment.signInNeeded != nil, account.tokens.signInNeeded == nil,
            let doubted = abandonment.doubted,
            try isDoubted(account, keyring, at: now, doubted)
        else { return abandonment }
        var end = abandonment
        end.health = doubted
        end.signInNeeded = nil
        return end
    }

    private func isDoubted(
        _ account: StoredAccount,
        _ keyring: Keyring,
        at now: Date,
        _ doubted: StoredAccount.Health
    ) throws -> Bool {
        let hashes = ClientHashes(account.settings, keyring)
        let client = try clientState(hashes)
        if client.breaker?.doubtsRefusals(at: now) == true { return true }
        let since = now.addingTimeInterval(-MassRefusal.window)
        let refused = try refusedAccounts(of: hashes.client, since: since)
            .filter { $0 != account.id }
        let accounts = try accountCount(of: hashes.client)
        let inARow = client.refusedGrants.count
        guard MassRefusal.isIt(refused.count + 1, inARow: inARow, of: accounts) else {
            return false
        }
        try update(hashes, at: now) { $0.open(.massRefusal, account.id, at: now) }
        for id in refused { try takeBack(id, doubted, keyring, at: now) }
        return true
    }

    private func accountCount(of client: [UInt8]) throws -> Int {
        var select = try connection.prepare("SELECT count(*) FROM account WHERE client_hash = ?1")
        select.bind(client, at: 1)
        return try select.step() ? Int(select.integer(at: 0)) : 0
    }

    private func refusedAccounts(of client: [UInt8], since: Date) throws -> [AccountID] {
        var select = try connection.prepare(
            """
            SELECT account_id FROM account \
            WHERE client_hash = ?1 AND state = 'sign_in_needed' AND state_since >= ?2
            """
        )
        select.bind(client, at: 1)
        select.bind(since.unixSeconds, at: 2)
        var accounts: [AccountID] = []
        while try select.step() {
            if let id = AccountID(select.blob(at: 0)) { accounts.append(id) }
        }
        return accounts
    }

    /// Has an account wait like the others instead of asking for a sign-in.
    private func takeBack(
        _ id: AccountID,
        _ doubted: StoredAccount.Health,
        _ keyring: Keyring,
        at now: Date
    ) throws {
        // One that does not open asks for nothing, and holds up none of the others.
        guard let account = try intactAccount(id), account.tokens.signInNeeded?.isDoubtful == true
        else { return }
        var tokens = account.tokens
        tokens.signInNeeded = nil
        var update = try connection.prepare(
            """
            UPDATE account SET tokens_box = ?2, due_at = ?3, failure = ?4 WHERE account_id = ?1
            """
        )
        update.bind(id.bytes, at: 1)
        update.bind(try seal(tokens, id, generation: account.generation, keyring), at: 2)
        update.bind(doubted.due?.unixSecondsNotEarlier, at: 3)
        update.bind(doubted.failures?.last, at: 4)
        try update.run()
        try setState(doubted.state, of: id.bytes, at: now)
    }

    private func intactAccount(_ id: AccountID) throws -> StoredAccount? {
        do {
            return try account(id)
        } catch StoreError.tampered(.account) {
            return nil
        }
    }
}
