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
        ReportRow(
            .busy,
            [.reason: "agent_running"],
            "another agent of this vault is running",
            hint: "vault agent stop"
        ),
        configuration("1", ["found": "not_json"], "it is not JSON"),
        configuration("1", ["found": "not_utf8"], "it is not UTF-8"),
        configuration("1", ["found": "too_large", "wanted": "9"], "it has more than 9 bytes"),
        configuration("3", ["found": "unknown_member", "field": "a"], "there is no member 'a'"),
        configuration(
            "3",
            ["found": "repeated_member", "field": "a"],
            "member 'a' is there twice"
        ),
        configuration("3", ["found": "missing_member", "field": "a"], "member 'a' is missing"),
        configuration(
            "3",
            ["found": "unfit_member", "field": "a", "wanted": "an object"],
            "'a' has to be an object"
        ),
        ReportRow(
            .invalidInput,
            [.reason: "socket_activation", .field: "LISTEN_FDS", .found: "2", .wanted: "1"],
            "the service manager says LISTEN_FDS=2, wanted is 1",
            hint: "one socket is handed over, to the agent's own process"
        ),
        ReportRow(
            .invalidInput,
            [.reason: "socket_activation", .field: "descriptor", .found: "not_a_stream_socket"],
            "descriptor 3, which the service manager handed over, is not a stream socket",
            hint: "it has to be a UNIX stream socket that listens"
        ),
        ReportRow(
            .invalidInput,
            [
                .reason: "socket_activation", .field: "descriptor", .found: "/a/agent.sock",
                .wanted: "/v/agent.sock",
            ],
            "the service manager listens on /a/agent.sock, and the vault's socket is /v/agent.sock",
            hint: "the same directory has to be in VAULT_HOME and ListenStream="
        ),
        ReportRow(
            .invalidInput,
            [.reason: "foreign_unit", .path: "/u/vault-agent.service"],
            "/u/vault-agent.service was not written by vault agent install",
            hint: "vault agent install --force replaces it"
        ),
        ReportRow(
            .invalidInput,
            [.reason: "no_unit", .found: "a vault under /tmp does not outlast a restart"],
            "a vault under /tmp does not outlast a restart",
            hint: "vault agent start"
        ),
        ReportRow(
            .storage,
            [.reason: "unit_failed", .found: "vault-agent.service"],
            "systemd could not start vault-agent.service",
            hint: "journalctl --user -u 'vault-agent.service' says why"
        ),
        ReportRow(
            .invalidInput,
            [
                .reason: "descriptor_limit", .field: "RLIMIT_NOFILE", .found: "20", .wanted: "192",
            ],
            "the agent may have 20 files open, wanted are 192",
            hint: "raise the limit: ulimit -n, or LimitNOFILE= of its unit"
        ),
    ]

    private static func configuration(
        _ line: String,
        _ facts: [String: String],
        _ words: String
    ) -> ReportRow {
        var all: [VaultError.Fact: String] = [
            .path: "/v/config.json", .line: line, .reason: "configuration",
        ]
        for (name, value) in facts {
            if let fact = VaultError.Fact(rawValue: name) { all[fact] = value }
        }
        return ReportRow(
            .invalidInput,
            all,
            "/v/config.json, line \(line): \(words)",
            hint: "vault help agent lists its members"
        )
    }
}
