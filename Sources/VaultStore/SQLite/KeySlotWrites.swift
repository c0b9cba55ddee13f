package import FoundationEssentials
internal import VaultCrypto
internal import VaultSQLite

/// Adding, removing and changing key slots.
///
/// Each asks for the secret of a slot, also of a vault that is open: who finds a machine unlocked
/// does not get to make a way in of their own.
extension VaultFile {
    /// The key slots, which can be told without a key.
    package func keySlots() throws -> [KeySlotDescription] {
        try KeySlots.all(in: connection).map { row in
            KeySlotDescription(
                number: row.slot.number,
                kind: row.slot.kind,
                keyFile: row.keyFile,
                cost: row.slot.cost,
                changed: row.changed,
                commitment: row.slot.commitment
            )
        }
    }

    /// Adds a key slot, and proves that it opens the vault before it counts.
    package func addKeySlot(
        _ new: NewKeySlot,
        authorizedBy unlock: Unlock,
        now: Date
    ) throws -> AddedKeySlot {
        try self.unlock(with: unlock)
        let secret = try slotSecret(new)
        return try writeKeys { keys in
            let number = try KeySlots.nextNumber(after: KeySlots.all(in: connection))
            return try keys.withRootKey { rootKey in
                try insert(secret, number: number, rootKey, check: header.rootCheck, now: now)
            }
        }
    }

    /// Removes a key slot for good: neither file nor journal keeps its bytes.
    @discardableResult
    package func removeKeySlot(
        _ number: UInt16,
        authorizedBy unlock: Unlock
    ) throws -> KeySlotDescription {
        try self.unlock(with: unlock)
        return try erasing {
            try writeKeys { _ in
                let slots = try keySlots()
                guard let slot = slots.first(where: { $0.number == number }) else {
                    throw StoreError.noSuchKeySlot(number)
                }
                guard slots.count > 1 else { throw StoreError.lastKeySlot }
                try KeySlots.delete(number, from: connection)
                return slot
            }
        }
    }

    /// Gives a key slot another secret of its kind, in one step: at every moment either the old one
    /// or the new one opens the vault.
    ///
    /// The old key file stays where it is. It opens older copies of the vault.
    package func changeKeySlot(
        _ number: UInt16,
        to new: NewKeySlot,
        authorizedBy unlock: Unlock,
        now: Date
    ) throws -> AddedKeySlot {
        try self.unlock(with: unlock)
        try checkKind(of: number, is: new.kind)
        let secret = try slotSecret(new)
        return try erasing {
            try writeKeys { keys in
                try checkKind(of: number, is: new.kind)
                try KeySlots.delete(number, from: connection)
                return try keys.withRootKey { rootKey in
                    try insert(secret, number: number, rootKey, check: header.rootCheck, now: now)
                }
            }
        }
    }

    private func checkKind(of number: UInt16, is kind: KeySlot.Kind) throws {
        guard let slot = try keySlots().first(where: { $0.number == number }) else {
            throw StoreError.noSuchKeySlot(number)
        }
        guard slot.kind == kind else {
            throw StoreError.keySlotKind(number: number, slot.kind)
        }
    }

    private func slotSecret(_ new: NewKeySlot) throws -> SlotSecret {
        try SlotSecret.make(
            new,
            besides: KeySlots.all(in: connection),
            vaultID: vaultID,
            location
        )
    }

    private func insert(
        _ secret: SlotSecret,
        number: UInt16,
        _ rootKey: borrowing RootKey,
        check: [UInt8],
        now: Date
    ) throws -> AddedKeySlot {
        try KeySlots.insert(
            secret,
            number: number,
            wrapping: rootKey,
            check: check,
            of: vaultID,
            at: now,
            into: connection
        )
    }

    /// Runs `body` in one durable transaction with the keys that the file has at its beginning.
    func writeKeys<Result>(_ body: (VaultKeys) throws -> Result) throws -> Result {
        try write {
            _ = try currentKeyring()
            guard let keys = unlockedKeys else { throw StoreError.locked(.noKeyFileSlot) }
            return try body(keys)
        }
    }
}

extension KeySlots {
    /// Writes a slot and opens it again from its row: one that did not open the vault would be found
    /// out on the day it is needed.
    static func insert(
        _ secret: SlotSecret,
        number: UInt16,
        wrapping rootKey: borrowing RootKey,
        check: [UInt8],
        of vaultID: VaultID,
        at date: Date,
        into connection: Connection
    ) throws -> AddedKeySlot {
        let slot = secret.wrap(rootKey, number: number, vaultID: vaultID)
        try insert(slot, keyFile: secret.keyFile, at: date, into: connection)
        guard let row = try all(in: connection).first(where: { $0.slot.number == number }),
            row.slot == slot, row.keyFile == secret.keyFile,
            try secret.open(row.slot, vaultID: vaultID).matches(check: check, for: vaultID)
        else { throw StoreError.tampered(.slot(number: Int64(number))) }
        return AddedKeySlot(
            number: number,
            keyFile: secret.keyFile,
            recoveryKey: secret.recoveryKey
        )
    }
}
