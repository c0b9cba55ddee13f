import VaultKit

extension ReportRow {
    /// An agent that cannot be asked, as the library puts it.
    static let agent = [
        ReportRow(.noAgent, "no agent is running"),
        ReportRow(
            .storage,
            [.reason: "malformed_answer", .path: "/v/agent.sock"],
            "the agent's answer makes no sense",
            hint: "vault agent stop"
        ),
        ReportRow(
            .unsafePermissions,
            [.reason: "foreign_agent", .found: "1002", .wanted: "1000", .path: "/v/agent.sock"],
            "the agent's socket belongs to another user (1002)",
            hint: "nothing was sent; look at who can write to the vault's directory"
        ),
        ReportRow(
            .busy,
            [.reason: "agent_silent"],
            "the agent did not answer in time",
            hint: "vault agent stop, then try again"
        ),
        ReportRow(
            .storage,
            [.reason: "agent_broken", .found: "Permission denied", .path: "/v/agent.sock"],
            "the agent did not answer: Permission denied",
            hint: "vault agent stop, then try again"
        ),
    ]
}
