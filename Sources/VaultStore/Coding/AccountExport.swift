package import FoundationEssentials
internal import OAuth
package import VaultCrypto

/// An account as one vault hands it to another.
package struct ExportedAccount: Sendable, Hashable {
    package var id: AccountID
    package var generation: UInt64
    package var settings: AccountSettings
    package var tokens: TokenSet

    package var name: AccountName { settings.name }

    package init(
        id: AccountID,
        generation: UInt64,
        settings: AccountSettings,
        tokens: TokenSet
    ) {
        self.id = id
        self.generation = generation
        self.settings = settings
        self.tokens = tokens
    }
}

/// Accounts for another vault: everything but what was spent.
///
/// As JSON, with times in Unix seconds:
///
///     {"format": "vault-export", "version": 1, "exported_at", "vault_id" (hexadecimal),
///      "moved" (whether the accounts are paused where they came from),
///      "accounts": [{"account_id" (hexadecimal), "generation",
///                    "settings": {..}, "tokens": {..}}]}
///
/// Settings and tokens are the plaintexts of the account and token records, which the first
/// migration describes. A moment has no boot and no uptime: its machine is another's.
package struct AccountExport: Sendable, Hashable {
    static let format = "vault-export"
    static let version: UInt8 = 1
    /// JSON has doubles: larger whole numbers are rounded.
    static let largestGeneration: UInt64 = 1 << 53

    package var exported: Date
    package var source: VaultID
    /// Whether the accounts are no longer used where they came from.
    package var isMove: Bool
    package var accounts: [ExportedAccount]

    package init(
        exported: Date,
        source: VaultID,
        isMove: Bool,
        accounts: [ExportedAccount]
    ) {
        self.exported = exported
        self.source = source
        self.isMove = isMove
        self.accounts = accounts
    }

    // MARK: - Writing

    package var encoded: Secret {
        SealedJSON([
            "format": .text(Self.format), "version": .number("\(Self.version)"),
            "exported_at": .date(exported), "vault_id": .text(source.text),
            "moved": .bool(isMove), "accounts": .array(accounts.map { Self.value(of: $0) }),
        ]).encoded
    }

    private static func value(of account: ExportedAccount) -> JSONValue {
        SealedJSON([
            "account_id": .text(account.id.bytes.hexadecimal),
            "generation": .number("\(account.generation)"),
            "settings": AccountRecord.record(of: account.settings).value,
            "tokens": TokenRecord.record(of: account.tokens).value,
        ]).value
    }

    // MARK: - Reading

    /// Reads accounts that anybody may have written: nothing in them has been checked before.
    package init(decoding plaintext: Secret) throws(StoreError) {
        let result = JSONReader.read(plaintext)
        guard let members = result.value.members, members["format"]?.text == Self.format else {
            throw .export(.notAnExport)
        }
        guard result.isComplete else { throw .export(.cutShort) }
        guard let version = members["version"]?.double.flatMap({ Int(exactly: $0) }), version > 0
        else { throw .exportMalformed(member: "version") }
        guard version <= Self.version else { throw .export(.newerFormat(UInt8(clamping: version))) }
        exported = try Self.date(members["exported_at"])
        source = try Self.vaultID(members["vault_id"])
        guard let isMove = members["moved"]?.bool else { throw .exportMalformed(member: "moved") }
        self.isMove = isMove
        guard let list = members["accounts"]?.array else {
            throw .exportMalformed(member: "accounts")
        }
        accounts = []
        for (index, element) in list.enumerated() {
            accounts.append(try ExportedAccount(element, at: "accounts[\(index)]"))
        }
    }

    private static func date(_ value: JSONValue?) throws(StoreError) -> Date {
        guard let seconds = value?.double, ExportedAccount.times.contains(seconds) else {
            throw .exportMalformed(member: "exported_at")
        }
        return Date(timeIntervalSince1970: seconds)
    }

    private static func vaultID(_ value: JSONValue?) throws(StoreError) -> VaultID {
        guard let bytes = value?.text.flatMap({ [UInt8](hexadecimal: $0) }), let id = VaultID(bytes)
        else { throw .exportMalformed(member: "vault_id") }
        return id
    }
}
