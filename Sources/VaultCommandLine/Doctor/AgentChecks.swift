internal import Platform
internal import VaultAgentClient

/// Checks of the agent and of the programs.
enum AgentChecks {
    /// What is known of the agent from outside.
    struct Facts: Sendable {
        /// What it says of itself; nil when none answers.
        let agent: AgentDocument?
        /// Whether some process is the vault's agent.
        let isLockHeld: Bool
        /// Whether another process works on the whole vault.
        let isMaintained: Bool
        /// Whether an account has a refresh to come.
        let hasWork: Bool
    }

    static func agent(_ facts: Facts) -> [Finding] {
        var findings: [Finding] = []
        if facts.isMaintained {
            findings.append(
                .warning("agent", "a process works on the whole vault: refreshes wait for it")
            )
        }
        guard let agent = facts.agent else { return findings + [absent(facts)] }
        if let version = agent.version, version != VaultVersion.current {
            findings.append(
                .warning(
                    "agent",
                    "the agent has version \(version), and this is \(VaultVersion.current)",
                    hint: "vault agent stop; the next command starts the right one"
                )
            )
        }
        if agent.locked == true {
            findings.append(
                .warning(
                    "agent",
                    "the agent is locked: nothing is renewed",
                    hint: "vault unlock"
                )
            )
        }
        return findings.isEmpty ? [.ok("agent", "one is running, and answers")] : findings
    }

    private static func absent(_ facts: Facts) -> Finding {
        if facts.isLockHeld {
            return .problem(
                "agent",
                "an agent is running and does not answer",
                hint: "vault agent stop, or end the process"
            )
        }
        return facts.hasWork
            ? .warning(
                "agent",
                "none is running: tokens are renewed only when they are asked for",
                hint: "vault agent start"
            )
            : .ok("agent", "none is running, and none has anything to do")
    }

    // MARK: - Programs

    /// `first` is the first `vault` in PATH, both with symbolic links followed.
    static func programs(own: String, hasAgentBeside: Bool, first: String?) -> [Finding] {
        var findings: [Finding] = []
        if !hasAgentBeside {
            findings.append(
                .problem(
                    "programs",
                    "there is no vault-agent beside \(own)",
                    hint: "install vault and vault-agent side by side"
                )
            )
        }
        switch first {
        case own?: break
        case nil:
            findings.append(
                .warning(
                    "programs",
                    "there is no vault in PATH",
                    hint: "add the directory of \(own) to PATH"
                )
            )
        case .some(let other):
            findings.append(
                .warning(
                    "programs",
                    "the vault that PATH finds first is another: \(other)",
                    hint: "put the directory of \(own) before it in PATH"
                )
            )
        }
        return findings.isEmpty ? [.ok("programs", "vault and vault-agent are in place")] : findings
    }

    /// The first `vault` in a PATH.
    static func firstInPath(_ path: String, isProgram: (String) -> Bool) -> String? {
        path.split(separator: ":").lazy.filter { $0.hasPrefix("/") }.map { "\($0)/vault" }
            .first(where: isProgram)
    }
}
