internal import FoundationEssentials
internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

struct LockCommand: Command {
    static let name = "lock"
    static let summary = "Have the agent forget the keys of the vault"
    static let help = """
        vault lock [--after DURATION]

        Has the agent store what is in flight, end sign-ins and wipe the keys. While the
        vault is locked no token is renewed; vault unlock goes on.

          --after DURATION  Not now but later: 90s, 15m, 8h, 2d

        Whoever has the key file of a vault does not need the agent.

        """

    private let after: Double?

    init(_ arguments: inout ArgumentReader) throws {
        after = try arguments.duration("--after")
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        let file = try VaultFile(context.location)
        let opensByItself = file.opens(with: .keyFile)
        let body = try WireJSON.encode(LockDocument(afterSeconds: after))
        guard
            let answer = try context.agent.callRunning(
                "POST",
                "/v1/lock",
                body: body,
                as: LockedDocument.self
            )
        else {
            context.terminal.words("no agent is running: nothing has the keys")
            return warn(opensByItself, context.terminal)
        }
        say(answer, context)
        warn(opensByItself, context.terminal)
    }

    private func say(_ answer: LockedDocument, _ context: CommandContext) {
        let now = context.clock.now().wall
        let terminal = context.terminal
        if let date = answer.agent.locksAt {
            terminal.words("the vault locks itself \(TimeText.distance(to: date, from: now))")
        } else {
            terminal.words("the vault is locked")
        }
        for account in answer.lapsing {
            let end = account.expiresAt.map { expiry in
                "its token \(expiry < now ? "expired" : "expires") "
                    + TimeText.distance(to: expiry, from: now)
            }
            terminal.words(
                "account \(account.name) is not renewed while it is locked: "
                    + (end ?? "when its token expires is unknown")
            )
        }
    }

    /// Nobody is to think that this keeps out whoever has the key file.
    private func warn(_ opensByItself: Bool, _ terminal: Terminal) {
        guard opensByItself else { return }
        terminal.warning("the key file opens the vault all the same, for whoever can read it")
    }
}
