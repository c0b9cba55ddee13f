internal import OAuth
internal import Platform
internal import VaultStore

extension AccessToken {
    init(_ token: StoredAccessToken, of account: StoredAccount, now: Moment, warning: Warning?) {
        self.init(
            TokenAtHand(token: token, generation: account.generation),
            of: account.name,
            now: now,
            warning: warning
        )
    }

    init(_ found: TokenAtHand, of account: AccountName, now: Moment, warning: Warning? = nil) {
        let token = found.token
        self.init(
            account: account,
            value: token.value,
            tokenType: token.tokenType,
            expiry: token.expiry(at: now),
            generation: token.generation ?? found.generation,
            grantedScope: token.grantedScope,
            warning: warning
        )
    }
}
