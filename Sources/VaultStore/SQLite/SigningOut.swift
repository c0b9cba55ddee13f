package import FoundationEssentials
internal import VaultCrypto
internal import VaultSQLite

/// An account that was signed out of and stays.
extension VaultFile {
    /// Takes an account's tokens away, in the file and in what its journal keeps.
    ///
    /// Its refresh token counts as spent: another copy of it is no grant any more.
    ///
    /// - Throws: `StoreError.superseded` when the account has moved on.
    package func endGrant(of account: StoredAccount, at now: Date) throws -> StoredAccount {
        var ended = account
        ended.generation = account.generation + 1
        ended.intent = nil
        ended.tokens = TokenSet(
            refreshToken: nil,
            accessTokens: [],
            signInNeeded: SignInNeeded(reason: .signedOut, since: now)
        )
        ended.health = StoredAccount.Health(state: .signInNeeded, due: nil, since: now)
        let isThere = { [self] (written: StoredAccount) throws -> Bool in
            try self.account(written.id)?.tokens == written.tokens
        }
        return try erasing {
            try write(confirming: isThere) {
                let keyring = try currentKeyring()
                if let refreshToken = account.tokens.refreshToken {
                    let hash = keyring.spentTokenHash(of: refreshToken)
                    try rememberSpent(hash, of: account.id, at: now)
                }
                try write(ended, keyring)
                try setState(.signInNeeded, of: account.id.bytes, at: now)
                try log(keyring).add(.signedOut, account.name.text, at: now)
                return ended
            }
        }
    }

    private func write(_ ended: StoredAccount, _ keyring: Keyring) throws {
        var update = try connection.prepare(
            """
            UPDATE account SET generation = ?3, tokens_box = ?4, intent_box = NULL, \
            refresh_token_hash = NULL, expires_at = NULL, due_at = NULL, failure_count = 0, \
            failure = NULL, failed_at = NULL, grant_ends_at = NULL, grant_end_told = 0 \
            WHERE account_id = ?1 AND generation = ?2
            """
        )
        update.bind(ended.id.bytes, at: 1)
        update.bind(Int64(ended.generation - 1), at: 2)
        update.bind(Int64(ended.generation), at: 3)
        update.bind(
            try seal(ended.tokens, ended.id, generation: ended.generation, keyring),
            at: 4
        )
        try update.run()
        guard connection.changes == 1 else { throw StoreError.superseded }
    }
}
