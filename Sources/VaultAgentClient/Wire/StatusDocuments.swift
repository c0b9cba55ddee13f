package import FoundationEssentials

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
    /// The accounts with a new pair that is only in its memory: the file says nothing of them.
    package let unsaved: [String]?

    package init(
        running: Bool,
        pid: Int32?,
        version: String?,
        locked: Bool? = nil,
        lockReason: String? = nil,
        locksAt: Date? = nil,
        memoryLocked: Bool? = nil,
        unsaved: [String]? = nil
    ) {
        self.running = running
        self.pid = pid
        self.version = version
        self.locked = locked
        self.lockReason = lockReason
        self.locksAt = locksAt
        self.memoryLocked = memoryLocked
        self.unsaved = unsaved
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
        try container.encode(unsaved, forKey: .unsaved)
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
