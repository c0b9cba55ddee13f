package import VaultCrypto

/// The proof that the one who exchanges a code is the one who asked for it (RFC 7636), S256 only.
package struct ProofKey: Sendable {
    /// Sent with the code.
    package let codeVerifier: Secret
    /// Sent ahead, in the authorization request.
    package let codeChallenge: String

    package static let codeChallengeMethod = "S256"

    /// The proof that belongs to a verifier.
    package init(codeVerifier: Secret) {
        self.codeVerifier = codeVerifier
        let digest = codeVerifier.withBytes { bytes in
            Digest.sha256(bytes.indices.map { bytes[$0] })
        }
        codeChallenge = String(decoding: Base64.encodeURL(digest), as: UTF8.self)
    }

    /// A new proof of 256 random bits, in 43 characters (§4.1).
    package static func make() -> ProofKey {
        ProofKey(codeVerifier: .randomText())
    }
}

extension Secret {
    /// Text of 256 random bits without characters that a URL would escape: a `state`, `nonce` or verifier.
    package static func randomText() -> Secret {
        Secret(bytes: Base64.encodeURL(Randomness.bytes(count: 32)))
    }
}
