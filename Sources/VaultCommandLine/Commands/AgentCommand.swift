internal import Platform
internal import VaultAgentClient
internal import VaultKit

struct AgentCommand: Command {
    static let name = "agent"
    static let summary = "Start, stop or look at the background agent"
    static let help = """
        vault agent run|start|stop|status

        The agent renews tokens in the background. It is started on demand, and stays
        while an account has a refresh to come.

          run       Run it in the foreground
          start     Start it in the background, to stay until it is stopped
          stop      Stop it; what is in flight is finished and stored first
          status    Say whether it runs

        """

    private enum Action: String, CaseIterable {
        case run
        case start
        case stop
        case status
    }

    private let action: Action

    init(_ arguments: inout ArgumentReader) throws {
        let word = try arguments.value(named: "run, start, stop or status")
        guard let action = Action(rawValue: word) else {
            throw UsageError.malformed(
                "the action",
                value: word,
                wanted: "run, start, stop or status"
            )
        }
        self.action = action
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        switch action {
        case .run: try Spawning.replace(with: AgentLauncher.program(), arguments: [])
        case .start: try start(context)
        case .stop:
            let wasRunning = try context.agent.stop()
            context.terminal.words(wasRunning ? "the agent has stopped" : "no agent was running")
        case .status: try status(context)
        }
    }

    private func start(_ context: CommandContext) throws {
        let isNew = try AgentLauncher(location: context.location).start(onDemand: false)
        context.terminal.words(isNew ? "the agent is running" : "an agent is running already")
        if (try? context.agent.status())?.locked == true {
            context.terminal.words("the vault is locked: vault unlock")
        }
    }

    private func status(_ context: CommandContext) throws {
        guard let agent = try context.agent.status() else {
            throw AgentConnection.Failure.notRunning
        }
        try context.terminal.data(
            "running: pid \(agent.pid ?? 0), version \(agent.version ?? "?")"
                + (agent.locked == true ? ", locked\n" : "\n")
        )
    }
}
