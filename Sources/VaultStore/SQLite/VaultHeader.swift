internal import VaultCrypto
internal import VaultSQLite

/// The one row of the vault table.
struct VaultHeader {
    let vaultID: VaultID
    let incarnation: [UInt8]
    let rootCheck: [UInt8]
    let keyringVersion: UInt64
    let keyringRecord: [UInt8]
    let selection: Selection?

    /// The current account as the file has it, and the keyed hash that vouches for it.
    struct Selection {
        let account: [UInt8]
        let hash: [UInt8]
    }

    init(reading connection: Connection) throws {
        var select = try connection.prepare(
            """
            SELECT vault_id, incarnation, root_check, keyring_version, keyring_box, \
            selected_account, selected_hash FROM vault
            """
        )
        guard try select.step(), let vaultID = VaultID(select.blob(at: 0)) else {
            throw StoreError.tampered(.keyring)
        }
        self.vaultID = vaultID
        incarnation = select.blob(at: 1)
        rootCheck = select.blob(at: 2)
        keyringVersion = UInt64(clamping: select.integer(at: 3))
        keyringRecord = select.blob(at: 4)
        if let account = select.optionalBlob(at: 5), let hash = select.optionalBlob(at: 6) {
            selection = Selection(account: account, hash: hash)
        } else {
            selection = nil
        }
    }
}
