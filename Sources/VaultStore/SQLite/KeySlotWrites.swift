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
        return try writeKeys(confirming: isThere) { keys in
            try log(keys.keyring).add(.slotAdded, at: now)
            let number = try KeySlots.nextNumber(after: KeySlots.all(in: connection))
            return try keys.withRootKey { rootKey in
                try insert(secret, number: number, rootKey, check: header.rootCheck, now: now)
            }
        }
    }

    /// Removes a key slot for good: neither file nor journal keeps its bytes.
    ///
    /// It is the slot that was `seen`, or the one that has the number now: while a person typed a
    /// passphrase the number may have become another's.
    @discardableResult
    package func removeKeySlot(
        _ number: UInt16,
        seen: KeySlotDescription? = nil,
        authorizedBy unlock: Unlock
    ) throws -> KeySlotDescription {
        let seen = try seen ?? keySlot(number)
        try self.unlock(with: unlock)
        return try erasing {
            try writeKeys(confirming: isGone) { keys in
                let slot = try keySlot(number, seen: seen)
                guard try keySlots().count > 1 else { throw StoreError.lastKeySlot }
                try log(keys.keyring).add(.slotRemoved)
                try KeySlots.delete(number, from: connection)
                return slot
            }
        }
    }

    /// Gives a key slot another secret of its kind, in one step: at every moment either the old one
    /// or the new one opens the vault.
    ///
    /// The old key file stays where it is. It opens older copies of the vault. What is `seen` is as
    /// for removing.
    package func changeKeySlot(
        _ number: UInt16,
        seen: KeySlotDescription? = nil,
        to new: NewKeySlot,
        authorizedBy unlock: Unlock,
        now: Date
    ) throws -> AddedKeySlot {
        let seen = try seen ?? keySlot(number)
        try self.unlock(with: unlock)
        guard seen.kind == new.kind else {
            throw StoreError.keySlotKind(number: number, seen.kind)
        }
        let secret = try slotSecret(new)
        return try erasing {
            try writeKeys(confirming: isThere) { keys in
                _ = try keySlot(number, seen: seen)
                try log(keys.keyring).add(.slotChanged, at: now)
                try KeySlots.delete(number, from: connection)
                return try keys.withRootKey { rootKey in
                    try insert(secret, number: number, rootKey, check: header.rootCheck, now: now)
                }
            }
        }
    }

    /// The slot of a number, if it is the one that was seen.
    private func keySlot(
        _ number: UInt16,
        seen: KeySlotDescription? = nil
    ) throws -> KeySlotDescription {
        guard let slot = try keySlots().first(where: { $0.number == number }) else {
            throw StoreError.noSuchKeySlot(number)
        }
        guard seen.map({ $0.commitment == slot.commitment }) ?? true else {
            throw StoreError.superseded
        }
        return slot
    }

    private func isThere(_ added: AddedKeySlot) throws -> Bool {
        try keySlots().contains { slot in
            slot.number == added.number && slot.commitment == added.commitment
                && slot.keyFile == added.keyFile
        }
    }

    private func isGone(_ removed: KeySlotDescription) throws -> Bool {
        try !keySlots().contains { slot in
            slot.number == removed.number && slot.commitment == removed.commitment
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

    /// Runs `body` in one durable transaction with the keys that the file has at its beginning, and
    /// only while the slot that was opened here is still a way in: a secret that somebody took out
    /// of force meanwhile authorizes nothing.
    func writeKeys<Result>(
        confirming isThere: (Result) throws -> Bool = { _ in false },
        _ body: (VaultKeys) throws -> Result
    ) throws -> Result {
        try write(confirming: isThere) {
            _ = try currentKeyring()
            guard let keys = unlockedKeys else { throw StoreError.locked(.noKeyFileSlot) }
            let slots = try keySlots()
            guard let slot = unlockedSlot,
                slots.contains(where: {
                    $0.number == slot.number && $0.commitment == slot.commitment
                })
            else { throw StoreError.locked(.keysReplaced) }
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
            recoveryKey: secret.recoveryKey,
            commitment: slot.commitment
        )
    }
}
