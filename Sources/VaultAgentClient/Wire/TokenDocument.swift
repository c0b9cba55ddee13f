package import FoundationEssentials

/// An access token, as `vault token --json` and the agent give it.
package struct TokenDocument: Codable, Sendable {
    package var schemaVersion = WireJSON.schemaVersion
    package let account: String
    package let accessToken: String
    package let tokenType: String
    /// Null when nobody said.
    package let expiresAt: Date?
    package let generation: UInt64

    package init(
        account: String,
        accessToken: String,
        tokenType: String,
        expiresAt: Date?,
        generation: UInt64
    ) {
        self.account = account
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.expiresAt = expiresAt
        self.generation = generation
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(schemaVersion, forKey: .schemaVersion)
        try container.encode(account, forKey: .account)
        try container.encode(accessToken, forKey: .accessToken)
        try container.encode(tokenType, forKey: .tokenType)
        try container.encode(expiresAt, forKey: .expiresAt)
        try container.encode(generation, forKey: .generation)
    }
}
