/// What the agent needs to lock the vault: now, or after some seconds.
package struct LockDocument: Codable, Sendable {
    package let afterSeconds: Double?

    package init(afterSeconds: Double?) {
        self.afterSeconds = afterSeconds
    }
}

/// What locking comes to.
package struct LockedDocument: Codable, Sendable {
    package var schemaVersion = WireJSON.schemaVersion
    package let agent: AgentDocument
    /// The accounts whose tokens are not renewed while the vault is locked.
    package let lapsing: [AccountDocument]

    package init(agent: AgentDocument, lapsing: [AccountDocument]) {
        self.agent = agent
        self.lapsing = lapsing
    }
}
