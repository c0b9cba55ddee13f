internal import Platform
internal import VaultKit
internal import VaultStore

/// A socket that the service manager listens on, and hands over with the first connection.
///
/// It is the vault's own or the agent does not start: one that served another path would be found by
/// nobody, and one that others can reach would let them in.
struct SocketActivation: Sendable {
    /// The first that is handed over (SD_LISTEN_FDS_START).
    static let descriptor: Int32 = 3

    let environment: ServiceEnvironment

    /// Whether a socket was announced, be it to this process or another.
    var isAnnounced: Bool {
        ["LISTEN_PID", "LISTEN_FDS"].contains { environment.variables[$0] != nil }
    }

    /// The socket; nil when none was announced.
    func listener(for location: VaultLocation) throws -> ListeningSocket? {
        guard isAnnounced else { return nil }
        try check("LISTEN_PID", is: "\(environment.process)")
        try check("LISTEN_FDS", is: "1")
        try checkSocket(location)
        return try ListeningSocket(adopting: Self.descriptor)
    }

    private func check(_ name: String, is wanted: String) throws(VaultError) {
        let found = environment.variables[name]
        guard found != wanted else { return }
        throw Self.refusal([.field: name, .found: found ?? "unset", .wanted: wanted])
    }

    private func checkSocket(_ location: VaultLocation) throws {
        let name: String
        switch try ServiceSocket.look(at: Self.descriptor) {
        case .listening(let path):
            return try checkFile(path, location)
        case .notOpen: name = "not_open"
        case .notASocket: name = "not_a_socket"
        case .notUnix: name = "not_a_unix_socket"
        case .notAStream: name = "not_a_stream_socket"
        case .notListening: name = "not_listening"
        }
        throw Self.refusal([.field: "descriptor", .found: name])
    }

    /// The file of the socket is the one that clients of this vault look for.
    private func checkFile(_ path: String, _ location: VaultLocation) throws {
        guard path.hasPrefix("/"), let found = try? FileSystem.status(of: path),
            let wanted = try? FileSystem.status(of: location.socket),
            found.kind == .socket, found.identity == wanted.identity
        else {
            throw Self.refusal(
                [.field: "descriptor", .found: path, .wanted: location.socket]
            )
        }
        guard found.owner == FileSystem.currentUser else {
            throw VaultError(
                .unsafePermissions,
                facts: [
                    .path: location.socket, .found: "owner \(found.owner)",
                    .wanted: "owner \(FileSystem.currentUser)",
                ]
            )
        }
        guard found.permissions & 0o077 == 0 else {
            let mode = String(found.permissions, radix: 8)
            throw VaultError(
                .unsafePermissions,
                facts: [.path: location.socket, .found: "mode \(mode)", .wanted: "mode 600"]
            )
        }
    }

    private static func refusal(_ facts: [VaultError.Fact: String]) -> VaultError {
        VaultError(.invalidInput, facts: facts.merging([.reason: "socket_activation"]) { $1 })
    }
}
