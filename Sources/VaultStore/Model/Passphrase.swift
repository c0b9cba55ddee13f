package import VaultCrypto

/// What may be a passphrase: any bytes, taken as they are.
///
/// Nothing is normalised: two ways of typing one letter are two passphrases, here as in other
/// tools, and the same keyboard gives the same bytes.
package enum Passphrase {
    /// The fewest and most bytes.
    package static let lengths = 1...1024
    /// Fewer bytes than this and guessing may pay: worth a warning.
    package static let advisedLength = 12

    /// Why something cannot be a passphrase.
    package enum Problem: String, Error, Sendable {
        case empty
        case tooLong = "too_long"
        /// It would end there for every program that takes it for a C string.
        case hasNUL = "has_nul"
    }

    /// What keeps bytes from being one; nil when nothing does.
    package static func problem(with passphrase: Secret) -> Problem? {
        guard passphrase.count >= lengths.lowerBound else { return .empty }
        guard passphrase.count <= lengths.upperBound else { return .tooLong }
        let hasNUL = passphrase.withBytes { bytes in bytes.indices.contains { bytes[$0] == 0 } }
        return hasNUL ? .hasNUL : nil
    }

    /// Refuses one that could not be given again.
    package static func check(_ passphrase: Secret) throws(StoreError) {
        if let problem = problem(with: passphrase) { throw .passphraseUnfit(problem) }
    }
}
