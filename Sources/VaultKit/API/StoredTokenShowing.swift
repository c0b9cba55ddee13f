internal import OAuth
internal import Platform
internal import VaultStore

extension AccessToken {
    init(_ token: StoredAccessToken, of account: StoredAccount, now: Moment, warning: Warning?) {
        self.init(
            account: account.name,
            value: token.value,
            tokenType: token.tokenType,
            expiry: token.expiry(at: now),
            generation: token.generation ?? account.generation,
            grantedScope: token.grantedScope,
            warning: warning
        )
    }
}
