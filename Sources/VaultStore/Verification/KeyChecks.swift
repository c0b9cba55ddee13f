internal import VaultCrypto
internal import VaultSQLite

/// The parts that lead to the keys, and what the keys vouch for.
extension Verification {
    mutating func checkSlots() throws {
        let rows = try KeySlots.all(in: connection)
        if rows.isEmpty { find(.malformed, in: .keyring) }
        for row in rows {
            let part = VerificationReport.Part.slot(Int64(row.slot.number))
            if row.slot.kind == .passphrase {
                if !row.slot.cost.isAllowed { find(.parametersOutOfRange, in: part) }
            } else if row.slot.cost != .none {
                find(.malformed, in: part)
            }
            if row.slot.kind == .keyFile, let path = row.keyFile {
                checkKeyFile(path, opens: row.slot, part)
            }
        }
    }

    /// A key file that is not here says nothing of the slot.
    private mutating func checkKeyFile(
        _ path: String,
        opens slot: KeySlot,
        _ part: VerificationReport.Part
    ) {
        guard let secret = try? KeyFile.read(path) else { return }
        do {
            let rootKey = try slot.open(with: secret, vaultID: file.vaultID)
            let header = try VaultHeader(reading: connection)
            guard rootKey.matches(check: header.rootCheck, for: header.vaultID) else {
                return find(.doesNotOpen, in: .keyring)
            }
        } catch {
            find(.doesNotOpen, in: part)
        }
    }

    /// The keyring as it is stored now; nil without keys, or where that is a finding.
    ///
    /// Asked for in each step anew: new keys may be given to the records meanwhile.
    mutating func openKeyring() throws -> Keyring? {
        guard file.isUnlocked else { return nil }
        do {
            return try file.currentKeyring()
        } catch StoreError.tampered(.keyring) {
            find(.doesNotOpen, in: .keyring)
        } catch StoreError.locked {
            // Other slots than ours lead to the root key by now, or the check of it was changed.
            find(.doesNotOpen, in: .keyring)
        } catch let error as SQLiteError where error.isDamage {
            find(.unreadable, in: .keyring)
        }
        return nil
    }

    mutating func checkSelection() throws {
        guard file.isUnlocked, report.wasUnlocked else { return }
        do {
            guard let id = try file.selectedAccount() else { return }
            var select = try connection.prepare("SELECT 1 FROM account WHERE account_id = ?1")
            select.bind(id.bytes, at: 1)
            if try !select.step() { find(.orphaned, in: .selection) }
        } catch StoreError.tampered(.selection) {
            find(.doesNotOpen, in: .selection)
        }
    }
}
