internal import Platform
package import VaultCrypto
internal import VaultSQLite

/// An open vault file: synchronous, used by one thread at a time.
///
/// It is the whole of what `vault token` needs for a token that is still good; the asynchronous
/// store is built on two of these.
package final class VaultFile {
    private static let usualBusyLimit = 10.0

    package let location: VaultLocation
    private(set) var connection: Connection
    private(set) var header: VaultHeader
    private(set) var unlockedKeys: VaultKeys?
    /// The slot that was opened here, as it was then.
    private(set) var unlockedSlot: KeySlot?
    // What only reads is spared the settings for writing.
    private var isReadyForWriting = false
    // Set while what the connection says is not to be believed.
    private var isDoubtful = false
    /// Seconds to wait for another process's lock.
    private let busyLimit: Double
    /// Whether what is written takes something out of the file for good.
    var isErasing = false
    /// Set for a write that found the log damaged.
    var isLogOff = false
    /// Set while several writes are made in one transaction.
    var sharedCommit: SharedCommit?
    /// The clients whose waiting accounts are being called.
    var calls: [[UInt8]: WaitingCall] = [:]
    /// How many requests hosts take.
    var hostLimits: HostLimits
    /// The vault that a restore puts in the place of this one.
    var successor: VaultID?

    /// Opens a vault after checking who can reach its files and that the schema is ours.
    ///
    /// One of an older version is migrated first.
    package convenience init(_ location: VaultLocation) throws {
        try self.init(location, busyLimit: Self.usualBusyLimit)
    }

    convenience init(_ location: VaultLocation, busyLimit: Double) throws {
        let (connection, header) = try Self.open(location, busyLimit)
        self.init(location, connection, header, busyLimit: busyLimit)
    }

    /// A second connection to a vault whose keys are here already.
    convenience init(_ location: VaultLocation, keys: VaultKeys?) throws {
        try self.init(location)
        unlockedKeys = keys
    }

    /// Opens a vault for some reads: what they see is of one moment, and the file is locked once.
    ///
    /// What an unreadable disk explains is tried twice, so `body` may run twice.
    package static func read<Result>(
        _ location: VaultLocation,
        _ body: (VaultFile) throws -> Result
    ) throws -> Result {
        var isFirst = true
        return try opening(location) {
            let connection = try connect(to: location)
            return try connection.read {
                let header = try readHeader(connection, location)
                let file = VaultFile(location, connection, header)
                file.isReadAgain = isFirst
                isFirst = false
                return try body(file)
            }
        }
    }

    /// Whether damage that is reported by an error is looked at once more, all of it.
    private(set) var isReadAgain = false

    private init(
        _ location: VaultLocation,
        _ connection: Connection,
        _ header: VaultHeader,
        busyLimit: Double = usualBusyLimit
    ) {
        self.location = location
        self.connection = connection
        self.header = header
        self.busyLimit = busyLimit
        hostLimits = HostLimits(location)
    }

    private static func open(
        _ location: VaultLocation,
        _ busyLimit: Double
    ) throws -> (Connection, VaultHeader) {
        try opening(location) {
            let connection = try connect(to: location, busyLimit)
            return (connection, try connection.read { try readHeader(connection, location) })
        }
    }

    private static func readHeader(
        _ connection: Connection,
        _ location: VaultLocation
    ) throws -> VaultHeader {
        try Schema.check(connection, path: location.database)
        return try VaultHeader(reading: connection)
    }

    /// A connection that nothing in the file can make do anything, and that has read nothing yet.
    static func connect(
        to location: VaultLocation,
        _ busyLimit: Double = usualBusyLimit
    ) throws -> Connection {
        let connection = try Connection(
            path: location.database,
            mode: .readWrite,
            busyLimit: busyLimit
        )
        try DatabaseSettings.applyForReading(to: connection)
        return connection
    }

    /// Goes on with a fresh connection: what this one says may be what it could not write or read.
    ///
    /// If none is to be had, the next use of the file tries again.
    func reopen() throws {
        isDoubtful = true
        isReadyForWriting = false
        // Before the fresh one asks for the locks that the old one may still hold.
        connection = try Connection(path: ":memory:", mode: .create)
        let (fresh, header) = try Self.open(location, busyLimit)
        guard header.vaultID == self.header.vaultID || header.vaultID == successor else {
            throw StoreError.tampered(.keyring)
        }
        connection = fresh
        self.header = header
        isDoubtful = false
    }

    /// Reopens a file whose connection was given up and could not be replaced then.
    func ensureConnected() throws {
        if isDoubtful { try reopen() }
    }

    /// Sees to the connection's settings before a write.
    func prepareForWriting() throws {
        try ensureConnected()
        if !isReadyForWriting {
            try DatabaseSettings.applyForWriting(to: connection)
            isReadyForWriting = true
        }
        // Truncated at commit: a journal that is kept would hold the bytes that were taken out.
        if isErasing { try connection.execute("PRAGMA journal_size_limit = 0") }
    }

    /// Lets the connection keep 8 MiB of the file instead of 2, for many reads of many accounts.
    func keepPages() throws {
        try connection.execute("PRAGMA cache_size = -8192")
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
        let (keys, slot) = try rereading { try $0.openKeys(with: unlock) }
        unlockedKeys = keys
        unlockedSlot = slot
        return slot.number
    }

    /// Takes keys that this file has from now on.
    func adopt(_ keys: VaultKeys) {
        unlockedKeys = keys
    }

    /// Looks at the header again, and has the keys of another file as long as it has its root key.
    func shareKeys(of other: VaultFile) throws {
        header = try VaultHeader(reading: connection)
        unlockedKeys = hasRootKey(of: other) ? other.unlockedKeys : nil
    }

    private func openKeys(with unlock: Unlock) throws -> (VaultKeys, slot: KeySlot) {
        // Header and slots of one moment, and nothing is locked while a passphrase is worked on. A
        // transaction that is open is that of `read`, which began with the header.
        let isHeaderRead = connection.isInTransaction
        let rows = try connection.read {
            if !isHeaderRead { header = try VaultHeader(reading: connection) }
            return try KeySlots.all(in: connection)
        }
        let opened = try KeySlots.open(unlock, of: rows, vaultID: header.vaultID)
        guard let slot = rows.first(where: { $0.slot.number == opened.slot })?.slot,
            opened.rootKey.matches(check: header.rootCheck, for: header.vaultID)
        else { throw StoreError.tampered(.keyring) }
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
        case .keyFile, .keyFileAt:
            let (renewed, slot) = try openKeys(with: keys.unlock)
            unlockedSlot = slot
            return renewed
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
        let isThere = { [self] (account: AccountID) throws -> Bool in
            try selectedAccount() == account
        }
        _ = try write(confirming: isThere) {
            let account = try account(named: name).id
            let keyring = try currentKeyring()
            try select(account, with: keyring)
            try log(keyring).add(.accountSelected, name.text)
            return account
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

    // MARK: - Watching

    /// A number that changes whenever another connection changes the file
    /// (sqlite.org/pragma.html#pragma_data_version).
    package func changeCounter() throws -> Int64 {
        try connection.integerPragma("data_version")
    }
}
