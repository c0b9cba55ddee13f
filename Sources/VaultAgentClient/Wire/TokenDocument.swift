package import FoundationEssentials
internal import OAuth
package import VaultAccess
package import VaultCrypto

/// An access token, as `vault token --json` and the agent give it.
package struct TokenDocument: Codable, Sendable {
    package var schemaVersion = WireJSON.schemaVersion
    package let account: String
    package let accessToken: String
    package let tokenType: String
    /// Null when nobody said.
    package let expiresAt: Date?
    package let generation: UInt64
    /// Null when nobody said: then it is what was asked for.
    package let grantedScope: String?
    /// Why no other token follows for now; null when one does.
    package let warning: String?

    package init(
        account: String,
        accessToken: String,
        tokenType: String,
        expiresAt: Date?,
        generation: UInt64,
        grantedScope: String? = nil,
        warning: String? = nil
    ) {
        self.account = account
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.expiresAt = expiresAt
        self.generation = generation
        self.grantedScope = grantedScope
        self.warning = warning
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(schemaVersion, forKey: .schemaVersion)
        try container.encode(account, forKey: .account)
        try container.encode(accessToken, forKey: .accessToken)
        try container.encode(tokenType, forKey: .tokenType)
        try container.encode(expiresAt, forKey: .expiresAt)
        try container.encode(generation, forKey: .generation)
        try container.encode(grantedScope, forKey: .grantedScope)
        try container.encode(warning, forKey: .warning)
    }
}

extension TokenDocument {
    /// A token as it goes over the socket, and to those who read JSON.
    package init(_ token: AccessToken) {
        self = token.value.reveal { value in
            TokenDocument(
                account: token.account.text,
                accessToken: value,
                tokenType: token.tokenType,
                expiresAt: token.expiry,
                generation: token.generation,
                grantedScope: token.grantedScope?.text,
                warning: token.warning?.rawValue
            )
        }
    }
}

extension AccessToken {
    /// A token out of its document; nil when it is none.
    ///
    /// Read without Foundation's decoder, which would leave the token in text that nobody wipes.
    package init?(document: Secret) {
        let result = JSONReader.read(document)
        guard result.isComplete, let members = result.value.members,
            let account = members["account"]?.text.flatMap({ AccountName($0) }),
            let value = members["accessToken"]?.secret, !value.isEmpty,
            let tokenType = members["tokenType"]?.text,
            case .number(let digits) = members["generation"], let generation = UInt64(digits),
            let expiry = Self.optional(members["expiresAt"], { try? Date($0, strategy: .iso8601) }),
            let scope = Self.optional(members["grantedScope"], { Scope(parsing: $0) }),
            // One that this program does not know yet is no reason to do without the token.
            let warning = Self.optional(members["warning"], { .some(Warning(rawValue: $0)) })
        else { return nil }
        self.init(
            account: account,
            value: value,
            tokenType: tokenType,
            expiry: expiry,
            generation: generation,
            grantedScope: scope,
            warning: warning ?? nil
        )
    }

    /// A string that may be left out or null, but is nothing of another kind; nil when it is.
    private static func optional<Value>(
        _ value: JSONValue?,
        _ read: (String) -> Value?
    ) -> Value?? {
        guard let value, value != .null else { return .some(nil) }
        guard let read = value.text.flatMap(read) else { return nil }
        return read
    }
}
