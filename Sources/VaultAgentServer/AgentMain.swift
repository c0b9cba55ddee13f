internal import FoundationEssentials
internal import Platform
internal import VaultAgentClient
internal import VaultHTTP
internal import VaultHTTPServer
internal import VaultKit
internal import VaultStore

/// The agent's program, from its arguments to its exit code.
package enum AgentMain {
    /// How it ends when a second signal cut the end short: as a program that was interrupted.
    static let interrupted: Int32 = 130

    /// Runs until it is told to stop; 0, or what the words for an error say after it could not start.
    package static func run(
        _ arguments: [String],
        environment: ServiceEnvironment = ServiceEnvironment(),
        failure: @escaping @Sendable (any Error) -> AgentFailure
    ) async -> Int32 {
        let notifier = ServiceNotifier(environment)
        var readiness = Readiness(descriptor: nil, notifier: notifier, failure: failure)
        do {
            try StopSignals.catchAll()
            Memory.keepSmall()
            let options = try AgentOptions(arguments)
            let activation = SocketActivation(environment: environment)
            guard !activation.isAnnounced || options.readyDescriptor != SocketActivation.descriptor
            else { throw AgentOptionError.notADescriptor(option: "--ready-fd") }
            readiness = Readiness(
                descriptor: options.readyDescriptor,
                notifier: notifier,
                failure: failure
            )
            guard let location = VaultLocation.fromEnvironment() else {
                throw VaultError(.noVault, facts: [.reason: "no_home"])
            }
            return try await start(location, options, activation, readiness)
        } catch {
            return readiness.failed(error)
        }
    }

    private static func start(
        _ location: VaultLocation,
        _ options: AgentOptions,
        _ activation: SocketActivation,
        _ readiness: Readiness
    ) async throws -> Int32 {
        try VaultFile.checkFiles(of: location)
        // Before anything is opened: its number is fixed.
        let handedOver = try activation.listener(for: location)
        let instance = try FileLock(path: location.lock)
        guard try await AgentInstance(instance).take(waiting: handedOver != nil) else {
            readiness.alreadyRunning()
            return 0
        }
        let configuration = try VaultConfiguration.read(location)
        let allowance = try ConnectionAllowance.make()
        try VaultFile.checkFileIfThere(location.log)
        let log = try AgentLog(location)
        if !allowance.isUsual {
            log.write(
                "few_descriptors",
                ["limit": "\(allowance.descriptors)", "connections": "\(allowance.connections)"]
            )
        }
        let transport = CurlTransport(userAgent: "vault/\(VaultVersion.current)")
        let service = AgentService(location, transport: transport, log: log)
        service.configure(configuration)
        // Before anything is renewed: where there is no place to serve nothing is sent. Who comes by now
        // waits until the vault is open.
        let socket = try AgentSocket(location, handedOver: handedOver)
        let server = try await open(service, socket, allowance)
        log.write("start", ["version": VaultVersion.current, "pid": "\(ProcessIdentity.current)"])
        readiness.ready(isLocked: service.vault.lockReason != nil)
        let run = AgentRun(
            service: service,
            server: server,
            signals: AgentSignals(),
            notifier: readiness.notifier,
            socket: socket.file,
            log: log
        )
        let code = await run.toTheEnd(isOnDemand: options.isOnDemand)
        transport.close()
        instance.unlock(.agent)
        return code
    }

    /// Opens the vault and serves it; what was begun is seen through to the store where that fails.
    private static func open(
        _ service: AgentService,
        _ socket: AgentSocket,
        _ allowance: ConnectionAllowance
    ) async throws -> HTTPServer {
        do {
            try await service.vault.start()
            return try serve(socket.listener, allowance, service)
        } catch {
            socket.file.remove()
            await service.stop()
            throw error
        }
    }

    private static func serve(
        _ listener: ListeningSocket,
        _ allowance: ConnectionAllowance,
        _ service: AgentService
    ) throws -> HTTPServer {
        let user = FileSystem.currentUser
        let routes = AgentRoutes(service: service)
        var limits = HTTPServerLimits()
        limits.stopSeconds = 40
        limits.connections = allowance.connections
        // A token response of a megabyte, escaped inside the document that carries it.
        limits.bodyBytes = 4 << 20
        limits.refusal = AgentRoutes.refusal
        return try HTTPServer(on: listener, limits: limits, peerCheck: { $0 == user }) { request in
            await routes.serve(request)
        }
    }
}

/// The one agent of a vault, by a lock that the kernel frees with its holder.
private struct AgentInstance {
    /// Seconds for another agent to leave once the service manager has put its socket in the place of
    /// that agent's.
    private static let patience = 20.0

    private let lock: FileLock

    init(_ lock: FileLock) {
        self.lock = lock
    }

    /// Whether it is this one.
    ///
    /// - Throws: `busy` where the service manager's socket is here and the other agent does not leave.
    func take(waiting: Bool) async throws -> Bool {
        let end = Uptime.seconds() + Self.patience
        while try !lock.tryLock(.agent) {
            guard waiting else { return false }
            guard Uptime.seconds() < end else {
                throw VaultError(.busy, facts: [.reason: "agent_running"])
            }
            try await SystemClock().sleep(seconds: 0.1)
        }
        return true
    }
}
