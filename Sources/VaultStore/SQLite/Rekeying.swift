package import FoundationEssentials
package import VaultCrypto
internal import VaultSQLite

/// What a new root key did.
package struct Rekeying: Sendable, Equatable {
    /// The slots that open the vault now.
    package let slots: [UInt16]
    /// The slots that went.
    package let dropped: [UInt16]
    /// Accounts and pairs kept aside that were sealed again.
    package let moved: Int
}

/// A new root key, and a new data key with it: `vault key rekey`.
///
/// One transaction: killed at any point, the vault opens with exactly the keys of before or of
/// after. What the old root key opened, a copy of the file or a key somebody wrote down, opens
/// nothing of the file as it is from now on.
///
/// The secrets of the slots stay what they are, a key file's bytes too: what they open is another
/// root key, under a fresh salt for a passphrase. A secret that somebody else knows is replaced by
/// changing its slot.
///
/// The incarnation stays: no claim is open while this runs, and a pair that was received but not
/// saved may be installed afterwards by whoever opens the vault again.
extension VaultFile {
    /// Gives the vault a new root key and seals everything again.
    ///
    /// The secret of one slot authorizes it, and is that slot's. Those of other slots are given by
    /// number: passphrases, recovery keys as shown, or the bytes of key files. Key files that can be
    /// read need not be given.
    ///
    /// - Throws: `StoreError.keySlotsLeft` for slots that were neither given nor dropped, and
    ///   `StoreError.tampered` when a record does not open: its only key would be lost.
    package func rekey(
        authorizedBy unlock: Unlock,
        slots secrets: [UInt16: Secret],
        dropping dropped: Set<UInt16>,
        now: Date
    ) throws -> Rekeying {
        let number = try self.unlock(with: unlock)
        let rows = try rereading { try KeySlots.all(in: $0.connection) }
        let plan = try RekeyingPlan(
            rows,
            opened: (number, unlock),
            secrets: secrets,
            dropping: dropped,
            vaultID: vaultID
        )
        return try Self.withoutRefreshes(of: location) {
            try erasing {
                let isThere = { [self] (done: (report: Rekeying, keys: VaultKeys)) throws -> Bool in
                    try isStored(done.keys.record)
                }
                let (report, keys) = try writeKeys(confirming: isThere) { keys in
                    // Secrets were matched to these slots, and to no others.
                    guard try KeySlots.all(in: connection).map(\.slot) == rows.map(\.slot) else {
                        throw StoreError.superseded
                    }
                    return try rekey(keys, plan, opened: (number, unlock), now: now)
                }
                adopt(keys)
                return report
            }
        }
    }

    private func rekey(
        _ old: VaultKeys,
        _ plan: RekeyingPlan,
        opened: (slot: UInt16, unlock: Unlock),
        now: Date
    ) throws -> (report: Rekeying, keys: VaultKeys) {
        let rootKey = RootKey.random()
        let next = try Self.openingKeyring {
            try old.withRootKey { oldRootKey in
                try Keyring.rekeying(
                    header.keyringRecord,
                    version: header.keyringVersion,
                    from: oldRootKey,
                    to: rootKey,
                    vaultID: vaultID
                )
            }
        }
        try forgetReceived(at: now)
        // Their hashes were made under the old root key; they are learned again.
        try connection.execute("DELETE FROM client")
        // So were these; each account's are written with its records.
        try connection.execute("DELETE FROM account_tag")
        let moved = try moveAll(from: old.keyring, to: next.keyring)
        try log(next.keyring).reseal(from: old.keyring)
        try log(next.keyring).add(.keysReplaced, at: now)
        let selected = try selectedAccount()
        try storeKeyring(next, check: rootKey.check(for: vaultID))
        try select(selected, with: next.keyring)
        try replaceSlots(with: plan, wrapping: rootKey, now: now)
        let keys = try VaultKeys(
            KeySlots.Opened(rootKey: rootKey, slot: opened.slot),
            header: VaultHeader(reading: connection),
            unlock: opened.unlock
        )
        let report = Rekeying(
            slots: plan.kept.map(\.number),
            dropped: plan.dropped.sorted(),
            moved: moved
        )
        return (report, keys)
    }

    private func moveAll(from old: Keyring, to new: Keyring) throws -> Int {
        let resealing = Resealing(connection: connection, from: old, to: new)
        var moved = 0
        for move in [Resealing.moveAccounts, Resealing.moveReceivedTokens] {
            var batch = Resealing.Batch(last: 0)
            while let last = batch.last {
                batch = try move(resealing)(last)
                if let damaged = batch.damaged.first { throw StoreError.tampered(damaged) }
                moved += batch.moved
            }
        }
        if let left = try resealing.left().first { throw StoreError.tampered(left) }
        return moved
    }

    private func storeKeyring(_ next: Keyring.Stored, check: [UInt8]) throws {
        var update = try connection.prepare(
            "UPDATE vault SET root_check = ?1, keyring_version = ?2, keyring_box = ?3"
        )
        update.bind(check, at: 1)
        update.bind(Int64(next.keyring.version), at: 2)
        update.bind(next.record, at: 3)
        try update.run()
    }

    private func replaceSlots(
        with plan: RekeyingPlan,
        wrapping rootKey: borrowing RootKey,
        now: Date
    ) throws {
        try connection.execute("DELETE FROM key_slot")
        let check = rootKey.check(for: vaultID)
        for (number, secret) in plan.kept {
            _ = try KeySlots.insert(
                secret,
                number: number,
                wrapping: rootKey,
                check: check,
                of: vaultID,
                at: now,
                into: connection
            )
        }
    }
}
