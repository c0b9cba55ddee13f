internal import VaultCrypto

/// Who signed in, as the authorization server says.
public struct Identity: Sendable, Hashable {
    /// The server's own name of the person, never given to another (OpenID Connect Core 1.0 §2, `sub`).
    public let subject: String
    /// What to show of the person: an e-mail address or a name; nil when the server tells neither.
    ///
    /// It may be another's tomorrow, so nothing is decided by it.
    public let name: String?

    /// Longer subjects are none (OpenID Connect Core 1.0 §2 allows 255).
    private static let longestSubject = 1024
    private static let longestName = 128

    /// An identity; nil where the subject is empty or far too long.
    ///
    /// - Parameters:
    ///   - subject: The server's own name of the person.
    ///   - name: What to show of the person; control characters are left out, and of a long one the
    ///     end.
    public init?(subject: String, name: String? = nil) {
        guard !subject.isEmpty, subject.utf8.count <= Self.longestSubject else { return nil }
        self.subject = subject
        self.name = name.flatMap { PlainText.line($0, limit: Self.longestName) }
    }

    /// What the claims of an ID token or of userinfo say (OpenID Connect Core 1.0 §5.1).
    init?(claims: [String: JSONValue]) {
        guard let subject = claims["sub"]?.text else { return nil }
        let names = ["email", "preferred_username", "upn", "name", "nickname"]
        self.init(
            subject: subject,
            name: names.lazy.compactMap { claims[$0]?.text }.first { !$0.isEmpty }
        )
    }
}
