package import VaultAccess

/// How signing out of an account went.
package struct SignOutDocument: Codable, Sendable {
    package var schemaVersion = WireJSON.schemaVersion
    /// Whether the account is still there, waiting for a new sign-in.
    package let kept: Bool
    /// Why the grant has to be taken as alive; null once it is revoked.
    package let failure: ErrorDocument.Failure?
    /// The other accounts of the same person and client, which may be signed out too.
    package let sharing: [String]

    package init(_ signOut: SignOut) {
        kept = signOut.isKept
        failure = signOut.failure.map { ErrorDocument.Failure($0) }
        sharing = signOut.sharing.map(\.text)
    }

    // What does not apply is null, not missing.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(schemaVersion, forKey: .schemaVersion)
        try container.encode(kept, forKey: .kept)
        try container.encode(failure, forKey: .failure)
        try container.encode(sharing, forKey: .sharing)
    }
}

/// Another name for an account.
package struct RenameDocument: Codable, Sendable {
    package let name: String

    package init(name: String) {
        self.name = name
    }
}
