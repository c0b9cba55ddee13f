internal import Platform
internal import VaultAgentClient
internal import VaultKit

struct AgentCommand: Command {
    static let name = "agent"
    static let summary = "Start, stop or look at the background agent"
    static let help = """
        vault agent run|start|stop|status
        vault agent install [--force] | uninstall

        The agent renews tokens in the background. It is started on demand, and stays
        while an account has a refresh to come. Installed, it begins with your session
        (loginctl enable-linger: with the machine).

          run         Run it in the foreground
          start       Start it in the background, to stay until it is stopped
          stop        Stop it; what is in flight is finished and stored first
          status      Say whether it runs
          install     Have systemd start it: writes two user units and enables them
          uninstall   Remove what install wrote

          --force     Replace units that install did not write

        It reads config.json in the vault's directory (mode 600) when it starts, and
        again on SIGHUP (systemctl --user reload vault-agent):

          {
            "on_event": "/home/me/bin/vault-event",
            "limits": {"login.example": {"requests": 60, "seconds": 60}}
          }

          on_event    A program that is told of sign_in_needed, grant_ends,
                      client_refused, not_saved and recovered: one JSON object on
                      its standard input, and ten seconds (installed, it can write
                      to the vault's directory alone)
          limits      How often a host is sent requests at most

        A member that it does not know is an error, and nothing of the file is taken.

        """

    private enum Action: String, CaseIterable {
        case run
        case start
        case stop
        case status
        case install
        case uninstall

        static let wanted = "run, start, stop, status, install or uninstall"
    }

    private let action: Action
    private let isForced: Bool

    init(_ arguments: inout ArgumentReader) throws {
        let force = try arguments.flag("--force")
        let word = try arguments.value(named: Action.wanted)
        guard let action = Action(rawValue: word) else {
            throw UsageError.malformed("the action", value: word, wanted: Action.wanted)
        }
        // An option that an action does not have is never passed over.
        guard !force || action == .install else {
            throw UsageError.unknownOption("--force", nearest: nil)
        }
        self.action = action
        isForced = force
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
        case .install: try AgentService(context: context).install(replacing: isForced)
        case .uninstall: try AgentService(context: context).uninstall()
        }
    }

    private func start(_ context: CommandContext) throws {
        let isNew = try context.agent.start()
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
