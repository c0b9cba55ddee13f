internal import FoundationEssentials
internal import VaultCrypto

/// The server's side of PKCE (RFC 7636 §4.6).
enum ProofKeyCheck {
    /// The S256 challenge of a verifier.
    static func challenge(of verifier: String) -> String {
        Base64URL.encode(Data(Digest.sha256(Array(verifier.utf8))))
    }
}
