internal import VaultCrypto
internal import VaultSQLite

/// An access token with its generation, and nothing of what a refresh would need.
///
/// It is that of an account that no person has to look after.
package struct TokenAtHand: Sendable, Hashable {
    package let token: StoredAccessToken
    /// The generation of the record it is in.
    package let generation: UInt64

    package init(token: StoredAccessToken, generation: UInt64) {
        self.token = token
        self.generation = generation
    }
}

extension VaultFile {
    private static let selectTokens = """
        SELECT account_id, revision, account_box, generation, tokens_box, refresh_token_hash, \
        \(isHashSpent) FROM account WHERE name = ?1
        """

    /// The access token that an account has for a request; nil when there is more to say, and when
    /// there is none: reading the account tells.
    ///
    /// What most look-ups end with, so it takes no more from the row than it hands out and has to know:
    /// that the seals of both records hold, that one has this name, and that the refresh token in the
    /// other was not spent.
    package func tokenAtHand(
        of name: AccountName,
        for request: AccessTokenRequest?
    ) throws -> TokenAtHand? {
        let keyring = try keyring()
        var select = try connection.prepare(Self.selectTokens)
        select.bind(name.text, at: 1)
        guard try select.step(), let id = AccountID(select.blob(at: 0)) else { return nil }
        let revision = UInt64(clamping: select.integer(at: 1))
        let generation = UInt64(clamping: select.integer(at: 3))
        do {
            let settings = try select.withBlob(at: 2) { box throws(SealingError) in
                try keyring.open(box, kind: .account, account: id, generation: revision)
            }
            guard try AccountRecord.isName(name, in: settings) else { return nil }
            let tokens = try select.withBlob(at: 4) { box throws(SealingError) in
                try keyring.open(box, kind: .tokens, account: id, generation: generation)
            }
            let isFound = select.integer(at: 6) != 0
            let token = try TokenRecord.accessToken(for: request, in: tokens) { refreshToken in
                try select.withBlob(at: 5) { hash in
                    try isSpent(refreshToken, hash: hash, isFound, keyring)
                }
            }
            return token.map { TokenAtHand(token: $0, generation: generation) }
        } catch is SealingError {
            // Damaged, or sealed under a newer keyring.
            return nil
        }
    }
}
