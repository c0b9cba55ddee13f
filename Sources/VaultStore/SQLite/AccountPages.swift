internal import VaultCrypto
internal import VaultSQLite

/// A page of accounts, as far as they open.
package struct AccountPage: Sendable {
    package var accounts: [StoredAccount] = []
    /// The names in the rows that cannot be read or do not open.
    package var damaged: [String] = []
    /// Where the next page begins; nil after the last one.
    package var next: String?
}

extension VaultFile {
    /// A page of accounts in the order of their names; a row that is damaged hides none of the others.
    ///
    /// That one is damaged is believed only when it is so through a fresh connection too.
    package func accountPage(after name: String?, limit: Int) throws -> AccountPage {
        try believing(\.damaged.isEmpty) { try $0.onePage(after: name, limit: limit) }
    }

    /// What `read` gives, and what it gives through a fresh connection where that is not whole.
    func believing<Page>(
        _ isWhole: (Page) -> Bool,
        _ read: (VaultFile) throws -> Page
    ) throws -> Page {
        try rereading { file in
            let page = try read(file)
            guard !isWhole(page) else { return page }
            if file.isReadAgain { throw StoreError.damaged(path: location.database) }
            guard !file.connection.isInTransaction else { return page }
            try file.reopen()
            return try read(file)
        }
    }

    private func onePage(after name: String?, limit: Int) throws -> AccountPage {
        try connection.read {
            let names = try accountNames(after: name, limit: limit)
            var page = AccountPage(next: names.count == limit ? names.last : nil)
            for text in names {
                if let account = try intactAccount(named: text) {
                    page.accounts.append(account)
                } else {
                    page.damaged.append(text)
                }
            }
            return page
        }
    }

    /// The names in the index of names, which lies apart from the rows.
    func accountNames(after name: String?, limit: Int) throws -> [String] {
        var select = try connection.prepare(
            "SELECT name FROM account WHERE name > ?1 ORDER BY name LIMIT ?2"
        )
        select.bind(name ?? "", at: 1)
        select.bind(Int64(limit), at: 2)
        var names: [String] = []
        while try select.step() {
            let found = select.text(at: 0)
            // Bytes that are no text come back as other ones: going on from there might never end.
            guard (names.last ?? name ?? "").utf8.lexicographicallyPrecedes(found.utf8) else {
                break
            }
            names.append(found)
        }
        return names
    }

    func intactAccount(named text: String) throws -> StoredAccount? {
        guard let name = AccountName(text) else { return nil }
        do {
            return try account(named: name)
        } catch StoreError.tampered(.account), StoreError.noSuchAccount {
            return nil
        } catch let error as SQLiteError where error.isDamage {
            return nil
        }
    }
}

extension SQLiteError {
    /// Whether it is the file that is wrong, and not the disk or another process.
    var isDamage: Bool { [.corrupt, .notADatabase].contains(code.primary) }
}
