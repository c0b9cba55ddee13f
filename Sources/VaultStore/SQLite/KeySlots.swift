internal import Platform
internal import VaultCrypto
internal import VaultSQLite

/// The key slots of a file, and the ways to open one.
enum KeySlots {
    struct Row {
        let slot: KeySlot
        let keyFile: String?
    }

    static func all(in connection: Connection) throws -> [Row] {
        var select = try connection.prepare(
            """
            SELECT number, kind, passes, memory, salt, commitment, root_key_box, key_file \
            FROM key_slot ORDER BY number
            """
        )
        var rows: [Row] = []
        while try select.step() {
            let box = select.blob(at: 6)
            guard let kind = KeySlot.Kind(rawValue: UInt8(clamping: select.integer(at: 1))) else {
                throw StoreError.tampered(.slot(number: select.integer(at: 0)))
            }
            let slot = KeySlot(
                number: UInt16(clamping: select.integer(at: 0)),
                kind: kind,
                cost: PassphraseCost(
                    passes: UInt32(clamping: select.integer(at: 2)),
                    memory: UInt64(clamping: select.integer(at: 3))
                ),
                salt: select.blob(at: 4),
                commitment: select.blob(at: 5),
                nonce: Array(box.prefix(KeyLength.nonce)),
                wrappedRootKey: Array(box.dropFirst(KeyLength.nonce))
            )
            rows.append(Row(slot: slot, keyFile: select.optionalText(at: 7)))
        }
        return rows
    }

    static func insert(_ slot: KeySlot, keyFile: String?, into connection: Connection) throws {
        var insert = try connection.prepare(
            """
            INSERT INTO key_slot \
            (number, kind, passes, memory, salt, commitment, root_key_box, key_file) \
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """
        )
        insert.bind(Int64(slot.number), at: 1)
        insert.bind(Int64(slot.kind.rawValue), at: 2)
        insert.bind(Int64(slot.cost.passes), at: 3)
        insert.bind(Int64(slot.cost.memory), at: 4)
        insert.bind(slot.salt, at: 5)
        insert.bind(slot.commitment, at: 6)
        insert.bind(slot.nonce + slot.wrappedRootKey, at: 7)
        insert.bind(keyFile, at: 8)
        try insert.run()
    }

    /// The root key, from the first key-file slot that opens.
    ///
    /// A path takes the place of the ones that the slots name.
    static func openWithKeyFile(
        _ path: String?,
        in connection: Connection,
        vaultID: VaultID
    ) throws -> RootKey {
        var failure = StoreError.LockReason.noKeyFileSlot
        for row in try all(in: connection) where row.slot.kind == .keyFile {
            guard let path = path ?? row.keyFile else { continue }
            do {
                let secret = try KeyFile.read(path)
                return try row.slot.open(with: secret, vaultID: vaultID)
            } catch KeySlotError.damaged {
                throw StoreError.tampered(.slot(number: Int64(row.slot.number)))
            } catch KeySlotError.wrongSecret {
                failure = .keyFileWrong(path: path)
            } catch StoreError.locked(let reason) {
                failure = reason
            }
        }
        throw StoreError.locked(failure)
    }
}
