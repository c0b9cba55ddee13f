internal import VaultCrypto
internal import VaultSQLite

/// Other names for accounts.
extension VaultFile {
    /// Gives an account another name; its tokens, its tags, its place and what is under way for it go
    /// along, as all of them go by its identifier.
    ///
    /// - Throws: `StoreError.noSuchAccount`, `StoreError.nameTaken`.
    package func rename(_ name: AccountName, to new: AccountName) throws -> StoredAccount {
        let isThere = { [self] (written: StoredAccount) throws -> Bool in
            try account(written.id)?.name == written.name
        }
        return try write(confirming: isThere) {
            let keyring = try currentKeyring()
            var account = try account(named: name)
            guard name != new else { return account }
            guard try identifier(of: new) == nil else { throw StoreError.nameTaken(new) }
            account.settings.name = new
            try write(account.settings, to: account, keyring)
            account.revision += 1
            var update = try connection.prepare(
                "UPDATE account SET name = ?2 WHERE account_id = ?1"
            )
            update.bind(account.id.bytes, at: 1)
            update.bind(new.text, at: 2)
            try update.run()
            try log(keyring).add(.accountRenamed, each: [name, new], at: nil)
            return account
        }
    }
}
