internal import FoundationEssentials
internal import Platform
internal import VaultAgentClient
internal import VaultCrypto
internal import VaultKit
internal import VaultStore

struct UnlockCommand: Command {
    static let name = "unlock"
    static let summary = "Give the agent the keys of the vault"
    static let help = """
        vault unlock [--lock-after DURATION] [options]

        Opens the vault in the agent, which is started if need be and keeps the keys in
        its memory until it stops or is told to lock. With a key file nothing is asked;
        otherwise the passphrase or recovery key is asked for on the terminal, or read
        from standard input where there is none.

          --lock-after DURATION  Lock again by itself: 90s, 15m, 8h, 2d

        """ + UnlockInput.help

    private let input: UnlockInput
    private let lockAfter: Double?

    init(_ arguments: inout ArgumentReader) throws {
        lockAfter = try arguments.duration("--lock-after")
        input = try UnlockInput(&arguments)
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        // Checks who can reach the files, before anybody types a secret.
        let file = try VaultFile(context.location)
        let status = try input.attempt(file, in: context) { unlock in
            var body = UnlockRequest.body(unlock, lockAfter: lockAfter)
            defer { wipe(&body) }
            return try context.agent.call(
                "POST",
                "/v1/unlock",
                body: body,
                as: AgentStatusDocument.self
            )
        }
        let time = status.agent.locksAt.map { date in
            ", and locks itself " + TimeText.distance(to: date, from: context.clock.now().wall)
        }
        context.terminal.words("the vault is unlocked" + (time ?? ""))
    }
}
