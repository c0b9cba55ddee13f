package import FoundationEssentials
internal import Platform
internal import VaultCrypto
internal import VaultSQLite

extension VaultFile {
    /// Makes a vault that a key file opens, and says where the key file is.
    ///
    /// A `keyFile` of nil means the default place.
    package static func create(
        _ location: VaultLocation,
        keyFile: String?,
        now: Date
    ) throws -> String {
        let slots = try create(location, slots: [.keyFile(path: keyFile)], now: now)
        return slots.compactMap(\.keyFile).first ?? ""
    }

    /// Makes a vault that each of these slots opens.
    ///
    /// The vault is built beside its place and moved there whole, after its key file is on disk:
    /// killed at any point, there is either no vault or one that opens.
    package static func create(
        _ location: VaultLocation,
        slots: [NewKeySlot],
        allowingNetworkFileSystem: Bool = false,
        now: Date
    ) throws -> [AddedKeySlot] {
        precondition(!slots.isEmpty, "nothing would open the vault")
        for case .passphrase(let passphrase, _) in slots { try Passphrase.check(passphrase) }
        do {
            try FileSystem.makeDirectories(location.directory)
        } catch {
            throw StoreError.file(path: location.directory, error)
        }
        try FilePermissions.checkDirectory(location.directory)
        // A journal without its database is what is left of another vault, and SQLite would play it
        // back into the new one.
        for path in [location.database] + location.companions where FileSystem.exists(path) {
            throw StoreError.vaultExists(path: path)
        }
        if allowingNetworkFileSystem { try NetworkFileSystem.permit(location) }
        try NetworkFileSystem.check(location)
        let vaultID = VaultID.random()
        let secrets = try slots.map { slot in
            try SlotSecret.make(slot, besides: [], vaultID: vaultID, location)
        }
        let unfinished = "\(location.directory)/.vault-\(vaultID.text).db"
        defer { try? FileSystem.remove(unfinished) }
        let added = try build(unfinished, vaultID: vaultID, secrets: secrets, now: now)
        do {
            try FileSystem.install(unfinished, as: location.database)
        } catch let error where error == .exists {
            throw StoreError.vaultExists(path: location.database)
        } catch {
            throw StoreError.file(path: location.database, error)
        }
        return added
    }

    private static func build(
        _ path: String,
        vaultID: VaultID,
        secrets: [SlotSecret],
        now: Date
    ) throws -> [AddedKeySlot] {
        let rootKey = RootKey.random()
        let (keyring, keyringRecord) = Keyring.create(rootKey: rootKey, vaultID: vaultID)
        let check = rootKey.check(for: vaultID)
        // SQLite would make the file 0644 and leave the rest to the umask.
        do {
            try FileSystem.writeNew(path, [UInt8]().span)
        } catch {
            throw StoreError.file(path: path, error)
        }
        let connection = try Connection(path: path, mode: .readWrite)
        // Nobody else sees this file, and it counts only once it has been synced as a whole.
        try connection.execute("PRAGMA journal_mode = MEMORY")
        try connection.execute("PRAGMA synchronous = OFF")
        return try connection.write {
            try Schema.migrator.migrate(connection, from: 0, at: now.unixSeconds)
            var insert = try connection.prepare(
                """
                INSERT INTO vault \
                (id, vault_id, incarnation, root_check, keyring_version, keyring_box) \
                VALUES (1, ?1, ?2, ?3, 1, ?4)
                """
            )
            insert.bind(vaultID.bytes, at: 1)
            insert.bind(Randomness.bytes(count: 16), at: 2)
            insert.bind(check, at: 3)
            insert.bind(keyringRecord, at: 4)
            try insert.run()
            try ActivityLog(connection: connection, keyring: keyring).add(.vaultMade, at: now)
            var added: [AddedKeySlot] = []
            for (index, secret) in secrets.enumerated() {
                added.append(
                    try KeySlots.insert(
                        secret,
                        number: UInt16(index + 1),
                        wrapping: rootKey,
                        check: check,
                        of: vaultID,
                        at: now,
                        into: connection
                    )
                )
            }
            return added
        }
    }
}
