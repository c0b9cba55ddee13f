internal import FoundationEssentials
internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

/// Why there is no agent.
enum AgentLaunchError: Error, Sendable {
    case notFound(path: String)
    case failed(SystemError)
    /// It neither got ready nor said why not.
    case silent
}

/// Starts the agent as a clean daemon and waits until it serves.
struct AgentLauncher: Sendable {
    /// Milliseconds the agent has to open the vault.
    private static let patience: Int32 = 30_000

    let location: VaultLocation

    /// The agent's program: beside this one, never looked up by PATH.
    static func program() throws -> String {
        let own = try Spawning.currentExecutable()
        guard let slash = own.lastIndex(of: "/") else { throw AgentLaunchError.notFound(path: own) }
        let program = own[..<slash] + "/vault-agent"
        guard FileSystem.exists(String(program)) else {
            throw AgentLaunchError.notFound(path: String(program))
        }
        return String(program)
    }

    /// Starts it, by its unit where it has one; false when one runs already.
    @discardableResult
    func start(onDemand: Bool) throws -> Bool {
        if AgentService.start(location) { return true }
        let program = try Self.program()
        var environment: [String: String] = [:]
        for name in AgentEnvironment.names { environment[name] = Environment[name] }
        environment["VAULT_HOME"] = location.directory
        let output: [UInt8]
        do {
            var pipe = try Pipe()
            try Spawning.daemon(
                program,
                arguments: (onDemand ? ["--on-demand"] : []) + ["--ready-fd", "3"],
                environment: environment,
                keep: pipe.writing
            )
            output = try pipe.readToEnd(limit: 64 << 10, milliseconds: Self.patience)
        } catch let error where error == .timedOut {
            throw AgentLaunchError.silent
        } catch {
            throw AgentLaunchError.failed(error)
        }
        guard let ready = try? WireJSON.decode(AgentReadyDocument.self, from: output) else {
            throw AgentLaunchError.silent
        }
        if let failure = ready.error { throw VaultError(failure) }
        return !ready.alreadyRunning
    }
}
