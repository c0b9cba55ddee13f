/// The place a record belongs to: it opens nowhere else.
///
/// secretbox has no associated data, so each record has a key of its own, derived from these 56
/// bytes.
struct RecordContext: Sendable {
    let kind: RecordKind
    let epoch: UInt32
    let vaultID: VaultID
    let accountID: AccountID
    let generation: UInt64

    static let format: UInt8 = 1

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(56)
        bytes.append(contentsOf: "VLT1REC\0".utf8)
        bytes.append(Self.format)
        bytes.append(kind.rawValue)
        bytes.append(bigEndian: UInt16(0))
        bytes.append(bigEndian: epoch)
        bytes.append(contentsOf: vaultID.bytes)
        bytes.append(contentsOf: accountID.bytes)
        bytes.append(bigEndian: generation)
        return bytes
    }
}

/// What a sealed record holds.
package enum RecordKind: UInt8, Sendable, CaseIterable {
    /// An account's settings: endpoints, client, issuer, scope.
    case account = 1
    /// An account's refresh token and access tokens.
    case tokens = 2
    /// The right to spend the refresh token of one generation, written before it is sent.
    case intent = 3
    /// A pair that came back too late to be installed.
    case receivedToken = 4
    /// The data keys.
    case keyring = 5
}
