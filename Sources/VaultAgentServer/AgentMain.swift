internal import FoundationEssentials
internal import Platform
internal import VaultAgentClient
internal import VaultHTTP
internal import VaultHTTPServer
internal import VaultKit
internal import VaultStore

/// The agent's program, from its arguments to its exit code.
package enum AgentMain {
    /// What the program was told.
    struct Options {
        /// Leave when nobody needs it any more.
        var isOnDemand = false
        /// Where to say that it is ready, or why not.
        var readyDescriptor: Int32?

        init(_ arguments: [String]) throws(VaultError) {
            var rest = arguments[...]
            while let word = rest.popFirst() {
                switch word {
                case "--on-demand": isOnDemand = true
                case "--ready-fd":
                    guard let number = rest.popFirst().flatMap({ Int32($0) }), number > 2 else {
                        throw VaultError(.invalidInput, facts: [.field: word])
                    }
                    readyDescriptor = number
                default: throw VaultError(.invalidInput, facts: [.field: word])
                }
            }
        }
    }

    /// Runs until it is told to stop; 0, or 1 after saying why it could not start.
    package static func run(_ arguments: [String]) async -> Int32 {
        var readiness = Readiness(descriptor: nil)
        do {
            try StopSignals.catchAll()
            let options = try Options(arguments)
            readiness = Readiness(descriptor: options.readyDescriptor)
            guard let location = VaultLocation.fromEnvironment() else {
                throw VaultError(.noVault, facts: [.reason: "no_home"])
            }
            return try await serve(location, options, readiness)
        } catch {
            readiness.failed(VaultError(error))
            return 1
        }
    }

    private static func serve(
        _ location: VaultLocation,
        _ options: Options,
        _ readiness: Readiness
    ) async throws -> Int32 {
        try VaultFile.checkFiles(of: location)
        let instance = try FileLock(path: location.lock)
        guard try instance.tryLock(.agent) else {
            readiness.alreadyRunning()
            return 0
        }
        let transport = CurlTransport(userAgent: "vault/\(VaultVersion.current)")
        try VaultFile.checkFileIfThere(location.log)
        let log = try AgentLog(location)
        let service = AgentService(location, transport: transport, log: log)
        try await service.vault.start()
        let server = try listen(location, service)
        let socket = try SocketFile(location.socket)
        log.write("start", ["version": VaultVersion.current, "pid": "\(ProcessIdentity.current)"])
        readiness.ready(isLocked: service.vault.lockReason != nil)
        let signals = StopSignalCount()
        let life = AgentLife(
            service: service,
            signals: signals,
            isOnDemand: options.isOnDemand,
            socket: socket
        )
        let reason = await life.last()
        let before = signals.value
        log.write("stop", ["reason": reason])
        socket.remove()
        // Commands wait on the socket for the outcome of their sign-ins.
        service.cancelSignIns()
        await server.stop()
        await service.stop { signals.value > before }
        transport.close()
        instance.unlock(.agent)
        return 0
    }

    /// A socket left behind by an agent that was killed is replaced: the instance lock is ours.
    private static func listen(
        _ location: VaultLocation,
        _ service: AgentService
    ) throws -> HTTPServer {
        if let status = try? FileSystem.status(of: location.socket) {
            guard status.kind == .socket, status.owner == FileSystem.currentUser else {
                throw VaultError(
                    .unsafePermissions,
                    facts: [.path: location.socket, .found: "not_a_socket"]
                )
            }
            try FileSystem.remove(location.socket)
        }
        let listener = try ListeningSocket.unix(
            directory: location.directory,
            name: VaultLocation.socketName
        )
        let user = FileSystem.currentUser
        let routes = AgentRoutes(service: service)
        var limits = HTTPServerLimits()
        limits.stopSeconds = 40
        // A token response of a megabyte, escaped inside the document that carries it.
        limits.bodyBytes = 4 << 20
        limits.refusal = AgentRoutes.refusal
        return try HTTPServer(on: listener, limits: limits, peerCheck: { $0 == user }) { request in
            await routes.serve(request)
        }
    }
}

/// Tells whoever started the agent how that went: one line of JSON on its descriptor, or words on
/// stderr when somebody runs it by hand.
private struct Readiness {
    let descriptor: Int32?

    func ready(isLocked: Bool) {
        say(
            AgentReadyDocument(pid: ProcessIdentity.current, locked: isLocked ? true : nil),
            isLocked ? "vault-agent: ready, and locked" : "vault-agent: ready"
        )
    }

    func alreadyRunning() {
        say(
            AgentReadyDocument(pid: 0, alreadyRunning: true),
            "vault-agent: another agent of this vault is running"
        )
    }

    func failed(_ error: VaultError) {
        say(
            AgentReadyDocument(pid: 0, error: ErrorDocument.Failure(error)),
            "vault-agent: error: \(error.code)\(error.facts.values.sorted().map { " (\($0))" }.joined())"
        )
    }

    private func say(_ document: AgentReadyDocument, _ words: String) {
        guard let descriptor else {
            try? Descriptor.write(words + "\n", to: 2)
            return
        }
        if let line = try? WireJSON.encode(document) {
            try? Descriptor.write(String(decoding: line, as: UTF8.self) + "\n", to: descriptor)
        }
        Descriptor.close(descriptor)
    }
}
