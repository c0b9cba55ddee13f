internal import Platform
package import VaultCrypto
internal import VaultSQLite

/// An open vault file: synchronous, used by one thread at a time.
///
/// It is the whole of what `vault token` needs for a token that is still good; the asynchronous
/// store is built on two of these.
package final class VaultFile {
    package let location: VaultLocation
    let connection: Connection
    private(set) var header: VaultHeader
    private(set) var unlockedKeys: VaultKeys?
    /// The slot that was opened here.
    private(set) var unlockedSlot: UInt16?
    // What only reads is spared the settings for writing.
    private var isReadyForWriting = false

    /// Opens a vault after checking who can reach its files and that the schema is ours.
    package convenience init(_ location: VaultLocation) throws {
        let connection = try Self.connect(to: location)
        try self.init(location, connection)
    }

    /// Opens a vault for some reads: what they see is of one moment, and the file is locked once.
    package static func read<Result>(
        _ location: VaultLocation,
        _ body: (VaultFile) throws -> Result
    ) throws -> Result {
        let connection = try connect(to: location)
        return try connection.read {
            try body(VaultFile(location, connection))
        }
    }

    private init(_ location: VaultLocation, _ connection: Connection) throws {
        self.location = location
        self.connection = connection
        header = try Self.translatingDamage(location) {
            try connection.read {
                try Schema.check(connection, path: location.database)
                return try VaultHeader(reading: connection)
            }
        }
    }

    private static func connect(to location: VaultLocation) throws -> Connection {
        try checkFiles(of: location)
        return try translatingDamage(location) {
            let connection = try Connection(path: location.database, mode: .readWrite)
            try DatabaseSettings.applyForReading(to: connection)
            return connection
        }
    }

    /// What SQLite cannot make sense of is no vault.
    private static func translatingDamage<Result>(
        _ location: VaultLocation,
        _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError
            where [.notADatabase, .corrupt].contains(error.code.primary)
        {
            throw StoreError.damaged(path: location.database)
        }
    }

    /// A second connection to a vault whose keys are here already.
    convenience init(_ location: VaultLocation, keys: VaultKeys?) throws {
        try self.init(location)
        unlockedKeys = keys
    }

    /// Refuses a vault whose directory or files others can reach, before anything is opened.
    package static func checkFiles(of location: VaultLocation) throws {
        guard !location.isPrivateCopy else { return }
        do {
            try FilePermissions.checkDirectory(location.directory)
            try FilePermissions.checkFile(location.database)
        } catch let error as SystemError where error == .notFound {
            throw StoreError.noVault(path: location.directory)
        } catch let error as SystemError {
            throw StoreError.file(path: location.directory, error)
        }
        for path in [location.journal, location.lock] { try checkFileIfThere(path) }
    }

    /// The same for a file that the first write to it makes.
    package static func checkFileIfThere(_ path: String) throws {
        do {
            try FilePermissions.checkFile(path)
        } catch let error as SystemError where error == .notFound {
            return
        } catch let error as SystemError {
            throw StoreError.file(path: path, error)
        }
    }

    package var vaultID: VaultID { header.vaultID }
    /// As it was when the keyring was last looked at.
    var incarnation: [UInt8] { header.incarnation }

    // MARK: - Keys

    /// What commits to the root key: the same in every copy that its slots open.
    package var rootCheck: [UInt8] { header.rootCheck }

    /// Whether the keys are here.
    package var isUnlocked: Bool { unlockedKeys != nil }

    /// Opens the vault with the secret of one of its key slots, and says which slot that was.
    @discardableResult
    package func unlock(with unlock: Unlock) throws -> UInt16 {
        let (keys, slot) = try openKeys(with: unlock)
        unlockedKeys = keys
        unlockedSlot = slot
        return slot
    }

    /// Takes keys that this file has from now on.
    func adopt(_ keys: VaultKeys) {
        unlockedKeys = keys
    }

    private func openKeys(with unlock: Unlock) throws -> (VaultKeys, slot: UInt16) {
        // Header and slots of one moment, and nothing is locked while a passphrase is worked on.
        let rows = try connection.read {
            header = try VaultHeader(reading: connection)
            return try KeySlots.all(in: connection)
        }
        let opened = try KeySlots.open(unlock, of: rows, vaultID: header.vaultID)
        let slot = opened.slot
        guard opened.rootKey.matches(check: header.rootCheck, for: header.vaultID) else {
            throw StoreError.tampered(.keyring)
        }
        return (try VaultKeys(opened, header: header, unlock: unlock), slot)
    }

    /// The keys that the file's records are sealed under now.
    ///
    /// Another process may have written a new keyring since; the root key opens that one too. It may
    /// also have migrated the file, which is then no longer ours to write.
    func currentKeyring() throws -> Keyring {
        guard let keys = unlockedKeys else { throw StoreError.locked(.noKeyFileSlot) }
        try Schema.version(of: connection, path: location.database)
        header = try VaultHeader(reading: connection)
        // By its bytes: after a restore the same version may be of another keyring.
        guard header.keyringRecord != keys.record else { return keys.keyring }
        let renewed = try renew(keys)
        unlockedKeys = renewed
        return renewed.keyring
    }

    /// The keys after another process changed them.
    ///
    /// A new root key is behind the old slots or behind new ones: a key file can be asked again, a
    /// person cannot.
    private func renew(_ keys: VaultKeys) throws -> VaultKeys {
        if keys.areOf(header) { return try keys.renewed(header: header) }
        switch keys.unlock {
        case .keyFile, .keyFileAt: return try openKeys(with: keys.unlock).0
        case .key, .passphrase, .recoveryKey: throw StoreError.locked(.keysReplaced)
        }
    }

    /// The keys as they were when last looked at: enough for opening, where a failure is retried.
    func keyring() throws -> Keyring {
        guard let keys = unlockedKeys else { throw StoreError.locked(.noKeyFileSlot) }
        return keys.keyring
    }

    // MARK: - The current account

    /// The account that was switched to, once its keyed hash vouches for it; nil when there is none.
    package func selectedAccount() throws -> AccountID? {
        let keyring = try currentKeyring()
        guard let selection = header.selection else { return nil }
        guard let account = AccountID(selection.account),
            keyring.selection(selection.hash, names: account)
        else { throw StoreError.tampered(.selection) }
        return account
    }

    /// Whether the file names this account as the current one, as of the last look at its header.
    func isSelected(_ account: [UInt8]) -> Bool {
        header.selection?.account == account
    }

    /// Makes an account the current one.
    package func select(_ name: AccountName) throws {
        try write {
            try select(account(named: name).id, with: currentKeyring())
        }
    }

    func select(_ account: AccountID?, with keyring: Keyring) throws {
        var update = try connection.prepare(
            "UPDATE vault SET selected_account = ?1, selected_hash = ?2"
        )
        update.bind(account?.bytes, at: 1)
        update.bind(account.map { keyring.selectionHash(of: $0) }, at: 2)
        try update.run()
    }

    // MARK: - Writing

    /// Runs `body` in one durable transaction.
    func write<Result>(_ body: () throws -> Result) throws -> Result {
        if !isReadyForWriting {
            try DatabaseSettings.applyForWriting(to: connection)
            isReadyForWriting = true
        }
        return try connection.write(body)
    }

    /// Commits a change that changes nothing, to find out whether the disk takes one.
    package func proveWritable() throws {
        try write {
            try connection.execute("UPDATE vault SET incarnation = incarnation")
        }
    }

    // MARK: - Watching

    /// A number that changes whenever another connection changes the file
    /// (sqlite.org/pragma.html#pragma_data_version).
    package func changeCounter() throws -> Int64 {
        try connection.integerPragma("data_version")
    }
}
