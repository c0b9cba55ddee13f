import Glibc

/// What the kernel says about a process.
struct ProcessFacts {
    let pid: pid_t

    /// Whether it runs; one that has ended and that nobody has asked about yet does not.
    var isAlive: Bool {
        guard let state = try? fields().first else { return false }
        return !["Z", "X"].contains(state)
    }

    /// What follows the name in `stat`, which everybody may read.
    private func fields() throws -> [Substring] {
        // The name in parentheses may hold blanks.
        let text = try Files.text("/proc/\(pid)/stat")
        guard let end = text.lastIndex(of: ")") else { return [] }
        return text[text.index(after: end)...].split(separator: " ")
    }

    /// Waits until it is gone.
    func isGone(within seconds: Double) throws -> Bool {
        try poll(seconds: seconds, every: 20) { !isAlive }
    }

    func session() throws -> pid_t? {
        let fields = try fields()
        return fields.count > 3 ? pid_t(fields[3]) : nil
    }

    /// Open descriptors and what they lead to; only root may look at a process that is not dumpable.
    func descriptors() throws -> [Int32: String] {
        let directory = "/proc/\(pid)/fd"
        var found: [Int32: String] = [:]
        for name in try Files.names(in: directory) {
            guard let number = Int32(name) else { continue }
            found[number] = try? Files.target(ofLink: "\(directory)/\(name)")
        }
        return found
    }

    /// The addresses of the TCP sockets on which it waits for connections.
    func listeningAddresses() throws -> [String] {
        let own = Set(try descriptors().values)
        var addresses: [String] = []
        for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
            for line in try Files.text(table).split(separator: "\n").dropFirst() {
                let fields = line.split(separator: " ")
                // State 0A is LISTEN; the tenth field is the socket's inode.
                guard fields.count > 9, fields[3] == "0A", own.contains("socket:[\(fields[9])]")
                else { continue }
                let isLoopback = fields[1].hasPrefix("0100007F:")
                addresses.append(isLoopback ? "127.0.0.1" : String(fields[1]))
            }
        }
        return addresses
    }

    /// Whether a connection to a UNIX socket waits to be accepted.
    static func isConnecting(to socket: String) throws -> Bool {
        try Files.text("/proc/net/unix").split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            // State 02 is connecting; what nobody accepted has no inode yet.
            return fields.count == 8 && fields[5] == "02" && fields[7].hasSuffix(socket)
        }
    }

    func workingDirectory() throws -> String {
        try Files.target(ofLink: "/proc/\(pid)/cwd")
    }

    /// The words of a line in `limits`.
    func limit(_ name: String) throws -> [Substring] {
        let line = try Files.text("/proc/\(pid)/limits").split(separator: "\n")
            .first { $0.hasPrefix(name) }
        return line.map { $0.dropFirst(name.count).split(separator: " ") } ?? []
    }

    /// The kernel gives the files of a process that is not dumpable to root.
    func lookOwner() throws -> UInt32 {
        try Files.owner("/proc/\(pid)/environ")
    }

    /// Local ports of established TCP connections to a port of 127.0.0.1.
    static func clientPorts(to port: UInt16) throws -> Set<UInt16> {
        let lines = try Files.text("/proc/net/tcp").split(separator: "\n").dropFirst()
        let ports = lines.compactMap { line -> UInt16? in
            let fields = line.split(separator: " ")
            guard fields.count > 3, fields[3] == "01", portNumber(fields[2]) == port
            else { return nil }
            return portNumber(fields[1])
        }
        return Set(ports)
    }

    private static func portNumber(_ address: Substring) -> UInt16? {
        address.split(separator: ":").last.flatMap { UInt16($0, radix: 16) }
    }
}
