internal import FoundationEssentials
internal import Platform
internal import VaultCrypto
internal import VaultSQLite

/// The key slots of a file, and the ways to open one.
enum KeySlots {
    struct Row {
        let slot: KeySlot
        let keyFile: String?
        /// When it was made or last changed.
        let changed: Date?
    }

    static func all(in connection: Connection) throws -> [Row] {
        var select = try connection.prepare(
            """
            SELECT number, kind, passes, memory, salt, commitment, root_key_box, key_file, \
            changed_at FROM key_slot ORDER BY number
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
            rows.append(
                Row(
                    slot: slot,
                    keyFile: select.optionalText(at: 7),
                    changed: select.optionalInteger(at: 8).map { Date(unixSeconds: $0) }
                )
            )
        }
        return rows
    }

    static func insert(
        _ slot: KeySlot,
        keyFile: String?,
        at date: Date,
        into connection: Connection
    ) throws {
        var insert = try connection.prepare(
            """
            INSERT INTO key_slot \
            (number, kind, passes, memory, salt, commitment, root_key_box, key_file, changed_at) \
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
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
        insert.bind(date.unixSeconds, at: 9)
        try insert.run()
    }

    /// A root key, and the slot it came from.
    struct Opened: ~Copyable {
        let rootKey: RootKey
        let slot: UInt16
    }

    /// The root key, from the first slot that the secret opens.
    static func open(
        _ unlock: Unlock,
        in connection: Connection,
        vaultID: VaultID
    ) throws -> Opened {
        var failure = unlock.nothingToOpen
        for row in try all(in: connection) where row.slot.kind == unlock.kind {
            // Nothing says where its file is.
            if unlock == .keyFile, row.keyFile == nil { continue }
            do {
                let secret = try secret(unlock, for: row)
                return Opened(
                    rootKey: try row.slot.open(with: secret, vaultID: vaultID),
                    slot: row.slot.number
                )
            } catch KeySlotError.damaged {
                throw StoreError.tampered(.slot(number: Int64(row.slot.number)))
            } catch KeySlotError.parametersOutOfRange {
                throw StoreError.tampered(.slot(number: Int64(row.slot.number)))
            } catch KeySlotError.outOfMemory {
                throw StoreError.locked(.outOfMemory)
            } catch KeySlotError.wrongSecret {
                failure = unlock.wrong(for: row)
            } catch StoreError.locked(let reason) {
                failure = reason
            }
        }
        throw StoreError.locked(failure)
    }

    /// What the slot wraps the root key under.
    private static func secret(_ unlock: Unlock, for row: Row) throws -> SecretBytes {
        switch unlock {
        case .keyFile: try KeyFile.read(row.keyFile ?? "")
        case .keyFileAt(let path): try KeyFile.read(path)
        case .key(let key): SecretBytes(copying: key)
        case .passphrase(let passphrase):
            try row.slot.cost.secret(
                from: SecretBytes(copying: passphrase),
                salt: row.slot.salt
            )
        case .recoveryKey(let text): try RecoveryKey.secret(from: text)
        }
    }
}

extension Unlock {
    /// The kind of slot it is for.
    fileprivate var kind: KeySlot.Kind {
        switch self {
        case .keyFile, .keyFileAt, .key: .keyFile
        case .passphrase: .passphrase
        case .recoveryKey: .recoveryKey
        }
    }

    /// Why it opens nothing where there is no slot of its kind.
    fileprivate var nothingToOpen: StoreError.LockReason {
        switch self {
        case .keyFile, .keyFileAt, .key: .noKeyFileSlot
        case .passphrase: .noPassphraseSlot
        case .recoveryKey: .noRecoverySlot
        }
    }

    /// Why it does not open a slot of its kind.
    fileprivate func wrong(for row: KeySlots.Row) -> StoreError.LockReason {
        switch self {
        case .keyFile: .keyFileWrong(path: row.keyFile ?? "")
        case .keyFileAt(let path): .keyFileWrong(path: path)
        case .key: .keyWrong
        case .passphrase: .passphraseWrong
        case .recoveryKey: .recoveryKeyWrong
        }
    }
}
