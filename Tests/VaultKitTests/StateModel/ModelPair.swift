import FoundationEssentials
import VaultCrypto

@testable import VaultStore

/// A pair to be installed, as a value that can be compared.
struct ModelPair: Hashable, Sendable {
    let tokens: TokenSet
    let spentTokenHash: [UInt8]?
    let now: Date
    let expiry: Date?
    let due: Date?
    let effect: ClientEffect?

    init(_ pair: NewPair) {
        tokens = pair.tokens
        spentTokenHash = pair.spentTokenHash
        now = pair.now
        expiry = pair.expiry
        due = pair.due
        effect = pair.effect
    }
}

extension Secret {
    /// The model's tokens are no secrets.
    var text: String { reveal { $0 } }

    /// What the model remembers a refresh token by.
    var modelHash: [UInt8] { Array(text.utf8) }
}
