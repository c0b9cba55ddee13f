import VaultCrypto
import VaultSQLite

@testable import VaultStore

extension PassphraseCost {
    /// The least that is allowed: some milliseconds.
    static let cheap = PassphraseCost(passes: 1, memory: 8 << 20)
}

extension TemporaryVault {
    var passphrase: Secret { Secret("correct horse battery") }
    var secondKeyFile: String { folder + "/second.key" }

    /// An account `work`, and the slots 2 passphrase, 3 key file, 4 recovery key.
    func addOneOfEachKind() throws -> [AddedKeySlot] {
        let file = try open()
        _ = try file.insert(Fixture.account("work"))
        let slots: [NewKeySlot] = [
            .passphrase(passphrase, .cheap), .keyFile(path: secondKeyFile), .recoveryKey,
        ]
        return try slots.map { slot in
            try file.addKeySlot(slot, authorizedBy: .keyFile, now: Fixture.now)
        }
    }
}

extension Editor {
    /// What each slot has in bytes that are its own.
    func slots() throws -> [[[UInt8]]] {
        var select = try connection.prepare(
            "SELECT commitment, substr(root_key_box, 1, 24), substr(root_key_box, 25) "
                + "FROM key_slot ORDER BY number"
        )
        var slots: [[[UInt8]]] = []
        while try select.step() { slots.append((0..<3).map { select.blob(at: $0) }) }
        return slots
    }

    /// Every sealed record of the vault's rows.
    func boxes() throws -> [[UInt8]] {
        var select = try connection.prepare(
            """
            SELECT account_box FROM account UNION ALL SELECT tokens_box FROM account \
            UNION ALL SELECT intent_box FROM account WHERE intent_box IS NOT NULL \
            UNION ALL SELECT tokens_box FROM received_token
            """
        )
        var boxes: [[UInt8]] = []
        while try select.step() { boxes.append(select.blob(at: 0)) }
        return boxes
    }
}
