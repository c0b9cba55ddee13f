internal import VaultCrypto
internal import VaultSQLite

/// A part of the accounts that have some tags, as far as they open.
package struct TaggedAccounts: Sendable {
    package var accounts: [StoredAccount] = []
    /// The names in the rows that were said to have the tags, and cannot be read or do not open.
    package var damaged: [String] = []
    /// The identifier that the next part begins after; nil after the last one.
    package var next: [UInt8]?

    package init() {}
}

extension TaggedAccounts {
    /// All parts that `part` gives, in the order of the names.
    package static func all(
        _ part: (_ after: [UInt8]?) throws -> TaggedAccounts
    ) rethrows -> TaggedAccounts {
        var all = TaggedAccounts()
        repeat {
            let next = try part(all.next)
            all.accounts += next.accounts
            all.damaged += next.damaged
            all.next = next.next
        } while all.next != nil
        all.accounts.sort { $0.name < $1.name }
        all.damaged.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return all
    }
}

/// Tags of accounts.
extension VaultFile {
    /// A part of the accounts that have every one of some tags.
    ///
    /// Only records that a hint names are opened, and only what they say counts. That one is damaged
    /// is believed only when it is so through a fresh connection too.
    package func accounts(
        tagged tags: Set<AccountTag>,
        after id: [UInt8]?,
        limit: Int
    ) throws -> TaggedAccounts {
        // No account has so many, and who asks is told so before.
        guard tags.count <= AccountTag.limit else { return TaggedAccounts() }
        return try believing(\.damaged.isEmpty) { try $0.onePart(tags, after: id, limit: limit) }
    }

    private func onePart(
        _ tags: Set<AccountTag>,
        after id: [UInt8]?,
        limit: Int
    ) throws -> TaggedAccounts {
        try connection.read {
            let hints = TagHints(connection: connection, keyring: try currentKeyring())
            let candidates = try hints.candidates(for: tags, after: id, limit: limit)
            var part = TaggedAccounts()
            part.next = candidates.count == limit ? candidates.last?.id : nil
            for candidate in candidates {
                guard let account = try intactAccount(named: candidate.name) else {
                    part.damaged.append(candidate.name)
                    continue
                }
                if tags.isSubset(of: account.settings.tags) { part.accounts.append(account) }
            }
            return part
        }
    }

    /// Gives an account the tags that `change` makes of those it has, and puts its hints right also
    /// where they are the same.
    package func changeTags(
        of name: AccountName,
        _ change: (Set<AccountTag>) throws -> Set<AccountTag>
    ) throws -> StoredAccount {
        let isThere = { [self] (written: StoredAccount) throws -> Bool in
            try account(written.id)?.settings.tags == written.settings.tags
        }
        return try write(confirming: isThere) {
            let keyring = try currentKeyring()
            var account = try account(named: name)
            let tags = try change(account.settings.tags)
            if account.settings.tags != tags {
                var settings = account.settings
                settings.tags = tags
                try write(settings, to: account, keyring)
                account.settings = settings
                account.revision += 1
                try log(keyring).add(.tagsChanged, name.text)
            } else {
                try TagHints(connection: connection, keyring: keyring).set(tags, of: account.id)
            }
            return account
        }
    }
}
