package import FoundationEssentials

/// An account in a list.
package struct AccountDocument: Codable, Sendable {
    package let name: String
    /// Null where nothing vouches for it.
    package let current: Bool?
    package let state: String
    package let issuer: String?
    package let expiresAt: Date?
    package let dueAt: Date?

    package init(
        name: String,
        current: Bool?,
        state: String,
        issuer: String?,
        expiresAt: Date?,
        dueAt: Date?
    ) {
        self.name = name
        self.current = current
        self.state = state
        self.issuer = issuer
        self.expiresAt = expiresAt
        self.dueAt = dueAt
    }

    // What is unknown is null, not missing.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(current, forKey: .current)
        try container.encode(state, forKey: .state)
        try container.encode(issuer, forKey: .issuer)
        try container.encode(expiresAt, forKey: .expiresAt)
        try container.encode(dueAt, forKey: .dueAt)
    }
}

/// Every account, as `vault list --json` and the agent give them.
package struct AccountListDocument: Codable, Sendable {
    package var schemaVersion = WireJSON.schemaVersion
    /// Whether the vault is locked: then these are hints that nothing vouches for.
    package let locked: Bool?
    package let accounts: [AccountDocument]
    /// The names of those whose records do not open.
    package let damaged: [String]

    package init(locked: Bool? = nil, accounts: [AccountDocument], damaged: [String] = []) {
        self.locked = locked
        self.accounts = accounts
        self.damaged = damaged
    }
}

/// Every account and how it is doing, as the agent gives them.
package struct AccountStatusListDocument: Codable, Sendable {
    package var schemaVersion = WireJSON.schemaVersion
    package let accounts: [AccountStatusDocument]
    /// The names of those whose records do not open.
    package let damaged: [String]

    package init(accounts: [AccountStatusDocument], damaged: [String] = []) {
        self.accounts = accounts
        self.damaged = damaged
    }
}

/// An account in `vault status --json`.
package struct AccountStatusDocument: Codable, Sendable {
    package let account: AccountDocument
    /// Null where nothing vouches for it, and so is the count.
    package let generation: UInt64?
    package let failureCount: Int?
    package let lastFailure: String?

    package init(
        account: AccountDocument,
        generation: UInt64?,
        failureCount: Int?,
        lastFailure: String?
    ) {
        self.account = account
        self.generation = generation
        self.failureCount = failureCount
        self.lastFailure = lastFailure
    }

    enum CodingKeys: String, CodingKey {
        case generation, failureCount, lastFailure
    }

    package init(from decoder: any Decoder) throws {
        account = try AccountDocument(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        generation = try container.decode(UInt64?.self, forKey: .generation)
        failureCount = try container.decode(Int?.self, forKey: .failureCount)
        lastFailure = try container.decode(String?.self, forKey: .lastFailure)
    }

    // One flat object: what the list says, and more.
    package func encode(to encoder: any Encoder) throws {
        try account.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(generation, forKey: .generation)
        try container.encode(failureCount, forKey: .failureCount)
        try container.encode(lastFailure, forKey: .lastFailure)
    }
}

/// The agent and every account, as `vault status --json` gives them.
package struct StatusDocument: Codable, Sendable {
    package var schemaVersion = WireJSON.schemaVersion
    /// Whether the vault is locked: then the accounts are hints that nothing vouches for.
    package let locked: Bool?
    package let agent: AgentDocument
    package let accounts: [AccountStatusDocument]
    /// The names of those whose records do not open.
    package let damaged: [String]

    package init(
        locked: Bool = false,
        agent: AgentDocument,
        accounts: [AccountStatusDocument],
        damaged: [String] = []
    ) {
        self.locked = locked
        self.agent = agent
        self.accounts = accounts
        self.damaged = damaged
    }
}

/// The agent itself.
package struct AgentDocument: Codable, Sendable {
    package let running: Bool
    package let pid: Int32?
    package let version: String?
    /// Whether it has no keys.
    package let locked: Bool?
    /// Why it has none, as a name of the vault's own.
    package let lockReason: String?
    /// When it lets go of them.
    package let locksAt: Date?
    /// Whether the memory with its keys stays out of the swap.
    package let memoryLocked: Bool?

    package init(
        running: Bool,
        pid: Int32?,
        version: String?,
        locked: Bool? = nil,
        lockReason: String? = nil,
        locksAt: Date? = nil,
        memoryLocked: Bool? = nil
    ) {
        self.running = running
        self.pid = pid
        self.version = version
        self.locked = locked
        self.lockReason = lockReason
        self.locksAt = locksAt
        self.memoryLocked = memoryLocked
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(running, forKey: .running)
        try container.encode(pid, forKey: .pid)
        try container.encode(version, forKey: .version)
        try container.encode(locked, forKey: .locked)
        try container.encode(lockReason, forKey: .lockReason)
        try container.encode(locksAt, forKey: .locksAt)
        try container.encode(memoryLocked, forKey: .memoryLocked)
    }
}

/// What the agent says of itself.
package struct AgentStatusDocument: Codable, Sendable {
    package var schemaVersion = WireJSON.schemaVersion
    package let agent: AgentDocument

    package init(agent: AgentDocument) {
        self.agent = agent
    }
}
