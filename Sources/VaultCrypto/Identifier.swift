/// Sixteen random bytes that name something for ever.
package protocol Identifier: Hashable, Sendable {
    var bytes: [UInt8] { get }
    init(unchecked bytes: [UInt8])
}

extension Identifier {
    /// A fresh one.
    package static func random() -> Self {
        Self(unchecked: Randomness.bytes(count: 16))
    }

    /// One read from storage; nil unless it has 16 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.init(unchecked: bytes)
    }
}

/// Names one vault, in every context that seals something in it.
package struct VaultID: Identifier {
    package let bytes: [UInt8]

    package init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Lower-case hexadecimal, as it stands in the name of the default key file.
    package var text: String { bytes.hexadecimal }
}

/// Names one account, in every context that seals something of it.
///
/// Survives renaming.
package struct AccountID: Identifier {
    package let bytes: [UInt8]

    package init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The account of records that belong to the vault itself.
    static let none = AccountID(unchecked: [UInt8](repeating: 0, count: 16))
}
