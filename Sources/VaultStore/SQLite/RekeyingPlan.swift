internal import VaultCrypto

/// Which slots get the new root key, and which go.
///
/// Made before the transaction, with every secret proven to open its slot: nobody learns from a
/// rekeyed vault that a passphrase was mistyped.
struct RekeyingPlan {
    let kept: [(number: UInt16, secret: SlotSecret)]
    let dropped: Set<UInt16>

    init(
        _ rows: [KeySlots.Row],
        opened: (slot: UInt16, unlock: Unlock),
        secrets: [UInt16: Secret],
        dropping dropped: Set<UInt16>,
        vaultID: VaultID
    ) throws {
        let numbers = Set(rows.map(\.slot.number))
        let named = dropped.union(secrets.keys)
        if let unknown = named.subtracting(numbers).min() {
            throw StoreError.noSuchKeySlot(unknown)
        }
        guard dropped.count < rows.count else { throw StoreError.lastKeySlot }
        var unlocks: [(row: KeySlots.Row, unlock: Unlock)] = []
        var left: [UInt16] = []
        for row in rows where !dropped.contains(row.slot.number) {
            let number = row.slot.number
            if number == opened.slot, opened.unlock != .keyFile {
                // It opened this one just now.
                unlocks.append((row, opened.unlock))
            } else if let secret = secrets[number] {
                unlocks.append((row, Unlock(secret, of: row.slot.kind)))
            } else if let place = Self.readableKeyFile(of: row, vaultID) {
                unlocks.append((row, place))
            } else {
                left.append(number)
            }
        }
        guard left.isEmpty else { throw StoreError.keySlotsLeft(left) }
        kept = try unlocks.map { row, unlock in
            if row.slot.number != opened.slot {
                _ = try KeySlots.rootKey(unlock, of: row, vaultID: vaultID)
            }
            return (row.slot.number, try SlotSecret.remake(unlock, of: row))
        }
        self.dropped = dropped
    }

    /// Where a slot's key file is, if it is there and opens the slot.
    private static func readableKeyFile(of row: KeySlots.Row, _ vaultID: VaultID) -> Unlock? {
        guard row.slot.kind == .keyFile else { return nil }
        return Unlock.keyFile.places(for: row).first { opens($0, row, vaultID) }
    }

    private static func opens(
        _ unlock: Unlock,
        _ row: KeySlots.Row,
        _ vaultID: VaultID
    ) -> Bool {
        (try? KeySlots.rootKey(unlock, of: row, vaultID: vaultID)) != nil
    }
}

extension Unlock {
    /// A secret as the one of a slot of a kind.
    fileprivate init(_ secret: Secret, of kind: KeySlot.Kind) {
        self =
            switch kind {
            case .passphrase: .passphrase(secret)
            case .keyFile: .key(secret)
            case .recoveryKey: .recoveryKey(secret)
            }
    }
}
