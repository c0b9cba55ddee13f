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

    static func delete(_ number: UInt16, from connection: Connection) throws {
        var delete = try connection.prepare("DELETE FROM key_slot WHERE number = ?1")
        delete.bind(Int64(number), at: 1)
        try delete.run()
    }

    /// The number of a slot to come, greater than any there is.
    ///
    /// So the number of a removed one seldom names another. That of one which was the last comes
    /// again, which is why removing and changing compare what the slot commits to.
    static func nextNumber(after rows: [Row]) throws(StoreError) -> UInt16 {
        let numbers = Set(rows.map(\.slot.number))
        guard let last = numbers.max(), last == .max else { return (numbers.max() ?? 0) + 1 }
        guard let free = (1..<last).first(where: { !numbers.contains($0) }) else {
            throw .tampered(.slot(number: Int64(last)))
        }
        return free
    }

    /// A root key, and the slot it came from.
    struct Opened: ~Copyable {
        let rootKey: RootKey
        let slot: UInt16
    }

    /// The root key, from the first slot of the file that the secret opens.
    static func open(
        _ unlock: Unlock,
        in connection: Connection,
        vaultID: VaultID
    ) throws -> Opened {
        try open(unlock, of: all(in: connection), vaultID: vaultID)
    }

    /// The same for slots that were read already.
    static func open(_ unlock: Unlock, of rows: [Row], vaultID: VaultID) throws -> Opened {
        var failure: StoreError.LockReason?
        for row in rows where row.slot.kind == unlock.kind {
            for unlock in unlock.places(for: row) {
                do {
                    return Opened(
                        rootKey: try rootKey(unlock, of: row, vaultID: vaultID),
                        slot: row.slot.number
                    )
                } catch StoreError.locked(let reason) where reason != .outOfMemory {
                    // A file that is there says more than one that is not.
                    if failure == nil || !reason.isMissing { failure = reason }
                }
            }
        }
        throw StoreError.locked(failure ?? unlock.nothingToOpen)
    }

    /// The root key that one slot gives for a secret.
    static func rootKey(
        _ unlock: Unlock,
        of row: Row,
        vaultID: VaultID
    ) throws -> RootKey {
        do {
            return try row.slot.open(with: secret(unlock, for: row), vaultID: vaultID)
        } catch KeySlotError.damaged {
            throw StoreError.tampered(.slot(number: Int64(row.slot.number)))
        } catch KeySlotError.parametersOutOfRange {
            throw StoreError.tampered(.slot(number: Int64(row.slot.number)))
        } catch KeySlotError.outOfMemory {
            throw StoreError.locked(.outOfMemory)
        } catch KeySlotError.wrongSecret {
            throw StoreError.locked(unlock.wrong(for: row))
        }
    }

    /// What the slot wraps the root key under.
    static func secret(_ unlock: Unlock, for row: Row) throws -> SecretBytes {
        switch unlock {
        case .keyFile: return try KeyFile.read(row.keyFile ?? "")
        case .keyFileAt(let path): return try KeyFile.read(path)
        case .key(let key): return SecretBytes(copying: key)
        case .passphrase(let passphrase):
            // What no slot was made with opens none, and is not worth the work.
            guard Passphrase.problem(with: passphrase) == nil else {
                throw StoreError.locked(.passphraseWrong)
            }
            return try row.slot.cost.secret(
                from: SecretBytes(copying: passphrase),
                salt: row.slot.salt
            )
        case .recoveryKey(let text): return try RecoveryKey.secret(from: text)
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

    /// The files that may hold the key of a slot: the service manager's credential comes before the
    /// place that the slot remembers.
    func places(for row: KeySlots.Row) -> [Unlock] {
        guard self == .keyFile else { return [self] }
        let credential = KeyFile.credential.flatMap { FileSystem.exists($0) ? $0 : nil }
        return [credential, row.keyFile].compactMap { $0.map { .keyFileAt(path: $0) } }
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

extension StoreError.LockReason {
    fileprivate var isMissing: Bool {
        if case .keyFileMissing = self { true } else { false }
    }
}
