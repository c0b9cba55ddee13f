package import FoundationEssentials
internal import Platform
internal import VaultCrypto
internal import VaultSQLite

extension VaultFile {
    /// Makes a vault that a key file opens, and says where the key file is.
    ///
    /// The vault is built beside its place and moved there whole, after its key file is on disk:
    /// killed at any point, there is either no vault or one that opens.
    /// A `keyFile` of nil means the default place.
    package static func create(
        _ location: VaultLocation,
        keyFile: String?,
        now: Date
    ) throws -> String {
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
        let vaultID = VaultID.random()
        let keyFile = try keyFilePath(keyFile, for: vaultID, location)
        let secret = try KeyFile.create(keyFile)
        let unfinished = "\(location.directory)/.vault-\(vaultID.text).db"
        defer { try? FileSystem.remove(unfinished) }
        try build(unfinished, vaultID: vaultID, secret: secret, keyFile: keyFile, now: now)
        do {
            try FileSystem.install(unfinished, as: location.database)
        } catch let error where error == .exists {
            throw StoreError.vaultExists(path: location.database)
        } catch {
            throw StoreError.file(path: location.database, error)
        }
        return keyFile
    }

    private static func keyFilePath(
        _ given: String?,
        for vaultID: VaultID,
        _ location: VaultLocation
    ) throws -> String {
        guard let given = given ?? VaultLocation.defaultKeyFile(vaultID: vaultID.text) else {
            throw StoreError.noPlaceForKeyFile
        }
        let path = FileSystem.absolute(given)
        do {
            let place = try FileSystem.resolvedDirectory(above: path)
            let directory = try FileSystem.resolved(location.directory)
            guard place != directory, !place.hasPrefix(directory + "/") else {
                throw StoreError.keyFileInsideVault(path: path)
            }
        } catch let error as SystemError {
            throw StoreError.file(path: path, error)
        }
        return path
    }

    private static func build(
        _ path: String,
        vaultID: VaultID,
        secret: borrowing SecretBytes,
        keyFile: String,
        now: Date
    ) throws {
        let rootKey = RootKey.random()
        let slot = KeySlot.wrap(
            rootKey,
            under: secret,
            number: 1,
            kind: .keyFile,
            vaultID: vaultID
        )
        let (_, keyringRecord) = Keyring.create(rootKey: rootKey, vaultID: vaultID)
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
        try connection.write {
            try Schema.migrator.migrate(connection, from: 0, at: now.unixSeconds)
            try KeySlots.insert(slot, keyFile: keyFile, at: now, into: connection)
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
        }
    }
}
