internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

/// The agent as a service of this user's systemd: begins with the session, and where lingering is
/// enabled with the machine.
struct AgentService: Sendable {
    let context: CommandContext

    private var terminal: Terminal { context.terminal }

    func install(replacing isForced: Bool) throws {
        try VaultFile.checkFiles(of: context.location)
        if let problem = AgentUnits.problem(with: context.location) {
            throw VaultError(.invalidInput, facts: [.reason: "no_unit", .found: problem])
        }
        let (folder, units) = try Self.units(context.location)
        let isChanged = try folder.write(units, replacing: isForced)
        terminal.words("the units are in \(folder.path): \(units.service), \(units.socket)")
        guard let manager = UserManager(), manager.isThere else {
            terminal.words("no systemd of this user is running here; where one is, run:")
            terminal.words("systemctl --user daemon-reload")
            terminal.words("systemctl --user enable --now '\(units.socket)' '\(units.service)'")
            return
        }
        try enable(units, manager, isChanged: isChanged)
        terminal.words("the agent runs, and begins with your session from now on")
        terminal.hint("loginctl enable-linger lets it begin with the machine, and outlast a logout")
        if (try? context.agent.status())?.locked == true {
            terminal.words("the vault is locked: vault unlock")
        }
    }

    private func enable(_ units: AgentUnits, _ manager: UserManager, isChanged: Bool) throws {
        manager.run("daemon-reload")
        let isActive = manager.run("is-active", units.service)
        // An agent that somebody started otherwise has the socket's place and the lock.
        if !isActive || isChanged {
            if isActive { manager.run("stop", units.service, units.socket) }
            try context.agent.stop()
        }
        guard manager.run("enable", "--now", units.socket, units.service) else {
            throw VaultError(.storage, facts: [.reason: "unit_failed", .found: units.service])
        }
    }

    func uninstall() throws {
        let (folder, units) = try Self.units(context.location)
        let manager = UserManager().flatMap { $0.isThere ? $0 : nil }
        let isThere = folder.has(units)
        if isThere { manager?.run("disable", "--now", units.service, units.socket) }
        let isChanged = try folder.remove(units)
        manager?.run("daemon-reload")
        terminal.words(
            isThere || isChanged ? "the units are removed" : "there were no units of this vault"
        )
    }

    /// Starts the agent by its unit; false where it has none, or that runs or does not start.
    static func start(_ location: VaultLocation) -> Bool {
        guard let (folder, units) = try? units(location), folder.has(units),
            let manager = UserManager(), manager.isThere, !manager.run("is-active", units.service)
        else { return false }
        return manager.run("start", units.service)
    }

    /// Whether the agent of a vault has units.
    static func isInstalled(_ location: VaultLocation) -> Bool {
        guard let (folder, units) = try? units(location) else { return false }
        return folder.has(units)
    }

    private static func units(
        _ location: VaultLocation
    ) throws -> (folder: UnitFolder, units: AgentUnits) {
        guard let folder = UnitFolder.ofUser() else {
            throw VaultError(
                .invalidInput,
                facts: [.reason: "no_unit", .found: "there is no place for units: HOME is not set"]
            )
        }
        let own = VaultLocation.ownPlace()
        let units = AgentUnits(
            location,
            program: try AgentLauncher.program(),
            isOwn: own == location
        )
        return (folder, units)
    }
}

/// Says once that renewal ends with the session where nothing starts the agent again.
struct RenewalNotice: Sendable {
    let context: CommandContext

    func sayOnce() {
        let path = context.location.renewalNotice
        guard UserManager() != nil, !FileSystem.exists(path),
            !AgentService.isInstalled(context.location)
        else { return }
        context.terminal.hint(
            "renewal ends when you log out or the machine restarts, until the agent is started "
                + "again: vault agent install has systemd do that"
        )
        // Where it cannot be noted it is said again.
        try? FileSystem.writeNew(path, [UInt8]().span)
    }
}
