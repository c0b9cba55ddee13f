internal import Platform
internal import VaultHTTPServer
internal import VaultKit
internal import VaultStore

/// The socket that the agent serves: the service manager's, or one of its own.
struct AgentSocket: Sendable {
    let listener: ListeningSocket
    let file: SocketFile

    /// Takes the one that was handed over, or binds one.
    init(_ location: VaultLocation, handedOver listener: ListeningSocket?) throws {
        self.listener = try listener ?? Self.bind(location)
        file = try SocketFile(location.socket, isOurs: listener == nil)
    }

    /// Whether somebody listens there though the instance lock is ours: a service manager, whose socket
    /// would lead nowhere for good without its file.
    private static func isListenedTo(_ location: VaultLocation) -> Bool {
        do {
            _ = try ConnectedSocket(
                directory: location.directory,
                name: VaultLocation.socketName,
                timeout: 1
            )
            return true
        } catch {
            // As many wait there as may.
            return error == .tryAgain
        }
    }

    /// A socket left behind by an agent that was killed is replaced: the instance lock is ours.
    private static func bind(_ location: VaultLocation) throws -> ListeningSocket {
        if let status = try? FileSystem.status(of: location.socket) {
            guard status.kind == .socket, status.owner == FileSystem.currentUser else {
                throw VaultError(
                    .unsafePermissions,
                    facts: [.path: location.socket, .found: "not_a_socket"]
                )
            }
            guard !isListenedTo(location) else {
                throw VaultError(.busy, facts: [.reason: "socket_in_use", .path: location.socket])
            }
            try FileSystem.remove(location.socket)
        }
        return try ListeningSocket.unix(
            directory: location.directory,
            name: VaultLocation.socketName
        )
    }
}

/// How many connections the agent may have, by how many descriptors it gets.
struct ConnectionAllowance: Sendable {
    /// Descriptors for as many clients as the server takes, and for files and requests besides.
    static let wanted = 1024
    /// Descriptors for everything but the clients: files, timers, transfers.
    static let reserve = 160
    /// With fewer it is no use.
    static let least = 192

    let descriptors: Int

    var connections: Int { min(HTTPServerLimits().connections, descriptors - Self.reserve) }
    var isUsual: Bool { connections == HTTPServerLimits().connections }

    /// Raises the limit as far as it may be.
    ///
    /// - Throws: ``VaultError`` where that is not far enough.
    static func make(limit: Int = DescriptorLimit.raise(to: wanted)) throws(VaultError) -> Self {
        guard limit >= least else {
            throw VaultError(
                .invalidInput,
                facts: [
                    .reason: "descriptor_limit", .field: "RLIMIT_NOFILE", .found: "\(limit)",
                    .wanted: "\(least)",
                ]
            )
        }
        return Self(descriptors: limit)
    }
}
