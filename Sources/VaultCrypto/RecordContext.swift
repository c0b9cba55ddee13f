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

    private static let label: StaticString = "VLT1REC\0"

    /// The label, the format, the kind, two zeros, then each at its place; integers are big-endian.
    var bytes: InlineArray<56, UInt8> {
        var bytes = InlineArray<56, UInt8>(repeating: 0)
        for index in 0..<8 { bytes[index] = Self.label.utf8Start[index] }
        bytes[8] = Self.format
        bytes[9] = kind.rawValue
        for index in 0..<4 {
            bytes[12 + index] = UInt8(truncatingIfNeeded: epoch >> (24 - 8 * index))
        }
        for index in 0..<16 { bytes[16 + index] = vaultID.bytes[index] }
        for index in 0..<16 { bytes[32 + index] = accountID.bytes[index] }
        for index in 0..<8 {
            bytes[48 + index] = UInt8(truncatingIfNeeded: generation >> (56 - 8 * index))
        }
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
