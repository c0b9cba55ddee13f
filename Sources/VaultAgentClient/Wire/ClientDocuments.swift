package import FoundationEssentials
internal import OAuth
package import VaultAccess

/// What the agent needs to give a client another secret.
package struct SetClientSecretDocument: Codable, Sendable {
    package let clientID: String
    package let clientSecret: String
    /// Which client, where those of several servers have one identifier.
    package let tokenEndpoint: String?
    /// How it authenticates from now on; as before unless told.
    package let clientAuthentication: String?
    /// Whether the old secret is tried when the new one is refused.
    package let keepsOld: Bool

    package init(
        clientID: String,
        clientSecret: String,
        tokenEndpoint: String? = nil,
        clientAuthentication: String? = nil,
        keepsOld: Bool = false
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.tokenEndpoint = tokenEndpoint
        self.clientAuthentication = clientAuthentication
        self.keepsOld = keepsOld
    }
}

/// Whose client has another secret now.
package struct ClientChangeDocument: Codable, Sendable {
    package var schemaVersion = WireJSON.schemaVersion
    package let clientID: String
    /// The names of its accounts.
    package let accounts: [String]

    package init(clientID: String, accounts: [String]) {
        self.clientID = clientID
        self.accounts = accounts
    }
}

/// Every client of the vault's accounts, as `vault client list --json` and the agent give them.
package struct ClientListDocument: Codable, Sendable {
    package var schemaVersion = WireJSON.schemaVersion
    package let clients: [ClientDocument]
    /// The names of the accounts whose records do not open.
    package let damaged: [String]

    package init(clients: [ClientDocument], damaged: [String] = []) {
        self.clients = clients
        self.damaged = damaged
    }
}

/// A client in a list.
package struct ClientDocument: Codable, Sendable {
    package let id: String
    package let tokenEndpoint: String
    /// How many accounts it has.
    package let accounts: Int
    /// Null when its accounts do not agree.
    package let authentication: String?
    /// Whether another secret is tried when the first is refused.
    package let otherSecret: Bool
    /// `ok`, `refused`, `doubted` or `paused`.
    package let state: String
    /// Since when nothing is sent but one try now and then.
    package let since: Date?
    package let nextTryAt: Date?
    package let pausedUntil: Date?
    /// `unknown`, `none`, `overlap`, `grace:SECONDS` or `strict`.
    package let rotation: String
    /// `told` or `learned`; null when it is unknown.
    package let rotationSource: String?

    package init(
        id: String,
        tokenEndpoint: String,
        accounts: Int,
        authentication: String?,
        otherSecret: Bool,
        state: String,
        since: Date?,
        nextTryAt: Date?,
        pausedUntil: Date?,
        rotation: String,
        rotationSource: String?
    ) {
        self.id = id
        self.tokenEndpoint = tokenEndpoint
        self.accounts = accounts
        self.authentication = authentication
        self.otherSecret = otherSecret
        self.state = state
        self.since = since
        self.nextTryAt = nextTryAt
        self.pausedUntil = pausedUntil
        self.rotation = rotation
        self.rotationSource = rotationSource
    }

    // What is unknown is null, not missing.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(tokenEndpoint, forKey: .tokenEndpoint)
        try container.encode(accounts, forKey: .accounts)
        try container.encode(authentication, forKey: .authentication)
        try container.encode(otherSecret, forKey: .otherSecret)
        try container.encode(state, forKey: .state)
        try container.encode(since, forKey: .since)
        try container.encode(nextTryAt, forKey: .nextTryAt)
        try container.encode(pausedUntil, forKey: .pausedUntil)
        try container.encode(rotation, forKey: .rotation)
        try container.encode(rotationSource, forKey: .rotationSource)
    }
}

extension ClientDocument {
    /// A client as it goes over the socket.
    package init(_ client: ClientOverview) {
        self.init(
            id: client.id.rawValue,
            tokenEndpoint: client.tokenEndpoint.string,
            accounts: client.accountCount,
            authentication: client.authentication?.rawValue,
            otherSecret: client.hasOtherSecret,
            state: client.state.rawValue,
            since: client.since,
            nextTryAt: client.nextTry,
            pausedUntil: client.pausedUntil,
            rotation: client.rotation.name,
            rotationSource: client.rotation.source
        )
    }
}

extension ClientOverview {
    /// A client as it came over the socket; nil when that makes no sense.
    ///
    /// What a newer agent knows of it and this program does not is unknown.
    package init?(_ document: ClientDocument) {
        guard let tokenEndpoint = try? EndpointURL(document.tokenEndpoint) else { return nil }
        self.init(
            id: ClientID(rawValue: document.id),
            tokenEndpoint: tokenEndpoint,
            accountCount: document.accounts,
            authentication: document.authentication.flatMap { ClientAuthentication(rawValue: $0) },
            hasOtherSecret: document.otherSecret,
            state: State(rawValue: document.state),
            since: document.since,
            nextTry: document.nextTryAt,
            pausedUntil: document.pausedUntil,
            rotation: Rotation(name: document.rotation, source: document.rotationSource)
                ?? .unknown
        )
    }
}
