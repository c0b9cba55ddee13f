internal import OAuth
internal import VaultCrypto
internal import VaultSQLite

/// Where accounts are signed in and renewed.
extension VaultFile {
    /// Gives an account other endpoints in place of those that it was looked at with.
    ///
    /// - Throws: `superseded` when it has others by now.
    package func pin(_ change: EndpointChange) throws -> StoredAccount {
        let isThere = { [self] (written: StoredAccount) throws -> Bool in
            try account(written.id)?.settings.endpoints == written.settings.endpoints
        }
        return try write(confirming: isThere) {
            let keyring = try currentKeyring()
            var account = try account(named: change.account)
            guard account.settings.endpoints == change.old else { throw StoreError.superseded }
            account.settings.endpoints = change.new
            try write(account.settings, to: account, keyring)
            account.revision += 1
            try log(keyring).add(.endpointsChanged, change.account.text)
            return account
        }
    }
}
