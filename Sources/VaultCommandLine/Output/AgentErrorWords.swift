internal import VaultKit

/// The words for an agent that cannot be asked.
extension VaultErrorWords {
    static let noAgent: Words = ("no agent is running", nil)
    static let agentMalformed: Words = ("the agent's answer makes no sense", "vault agent stop")

    static func foreignAgent(_ facts: Facts) -> Words {
        (
            "the agent's socket belongs to another user"
                + (facts[.found].map { " (\($0))" } ?? ""),
            "nothing was sent; look at who can write to the vault's directory"
        )
    }

    static func agentSilent(_ facts: Facts) -> Words {
        let why = facts[.reason] == "agent_silent" ? " in time" : facts[.found].map { ": \($0)" }
        return ("the agent did not answer\(why ?? "")", "vault agent stop, then try again")
    }
}
