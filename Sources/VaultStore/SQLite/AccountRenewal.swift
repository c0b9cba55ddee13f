package import FoundationEssentials
internal import VaultCrypto
internal import VaultSQLite

/// When accounts are renewed in the background.
extension VaultFile {
    /// Gives an account another policy, and the plan that `due` makes of it.
    package func setRenewal(
        _ policy: RenewalPolicy,
        of name: AccountName,
        due: (StoredAccount) -> Date?
    ) throws -> StoredAccount {
        let isThere = { [self] (written: StoredAccount) throws -> Bool in
            try account(written.id)?.settings.renewal == written.settings.renewal
        }
        return try write(confirming: isThere) {
            let keyring = try currentKeyring()
            var account = try account(named: name)
            guard account.settings.renewal != policy else { return account }
            account.settings.renewal = policy
            try write(account.settings, to: account, keyring)
            account.revision += 1
            account.health.due = due(account)
            var update = try connection.prepare(
                "UPDATE account SET due_at = ?2 WHERE account_id = ?1"
            )
            update.bind(account.id.bytes, at: 1)
            update.bind(account.health.due?.unixSecondsNotEarlier, at: 2)
            try update.run()
            try log(keyring).add(.renewalChanged, name.text)
            return account
        }
    }
}
