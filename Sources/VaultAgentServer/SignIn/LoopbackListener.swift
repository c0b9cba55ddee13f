internal import Platform
internal import VaultHTTPServer

/// The sockets that wait for the browser: one, or two for a redirect to `localhost`.
///
/// That name may lead a browser to 127.0.0.1 and to [::1]. Whoever listened at the one that we leave
/// free would get the code.
struct LoopbackListener: Sendable {
    private let sockets: [ListeningSocket]

    /// Ports that are tried where any will do: a free one of 127.0.0.1 may be taken at [::1].
    private static let tries = 16

    private init(_ sockets: [ListeningSocket]) {
        self.sockets = sockets
    }

    /// Listens at one address; port 0 is any.
    static func one(port: UInt16, ipv6: Bool) throws(SystemError) -> LoopbackListener {
        LoopbackListener([try .loopback(port: port, ipv6: ipv6)])
    }

    /// Listens at both addresses of this machine, as far as it has both.
    static func both(port: UInt16) throws(SystemError) -> LoopbackListener {
        for _ in 1..<tries where port == 0 {
            if let listener = try? pair(port: port) { return listener }
        }
        return try pair(port: port)
    }

    private static func pair(port: UInt16) throws(SystemError) -> LoopbackListener {
        let first = try ListeningSocket.loopback(port: port)
        do throws(SystemError) {
            return LoopbackListener([first, try .loopback(port: first.port, ipv6: true)])
        } catch {
            // Without IPv6 nobody else is there either.
            guard error == .addressInUse else { return LoopbackListener([first]) }
            first.close()
            throw error
        }
    }

    var port: UInt16 { sockets.first?.port ?? 0 }

    func close() {
        for socket in sockets { socket.close() }
    }

    /// Serves until the servers are stopped.
    func serve(
        _ handler: @escaping @Sendable (HTTPServerRequest) async -> HTTPServerResponse
    ) throws(SystemError) -> LoopbackServers {
        var servers: [HTTPServer] = []
        for socket in sockets {
            let server = try HTTPServer(on: socket, limits: Self.limits) { request in
                .response(await handler(request))
            }
            servers.append(server)
        }
        return LoopbackServers(servers: servers)
    }

    private static var limits: HTTPServerLimits {
        var limits = HTTPServerLimits()
        limits.bodyBytes = 0
        limits.connections = 16
        limits.idleSeconds = 10
        // Every server of this machine leaves its cookies here: ports share them (RFC 6265 §8.5).
        limits.connectionMemory = 256 << 10
        // What follows a request on its connection is not looked at.
        limits.keepsConnections = false
        limits.stopSeconds = 5
        return limits
    }
}

/// What serves the sockets of one sign-in.
struct LoopbackServers: Sendable {
    fileprivate let servers: [HTTPServer]

    /// Lets answers that are on their way go out, and ends.
    func stop() async {
        for server in servers { await server.stop() }
    }
}
