internal import Platform

/// The file of the agent's socket, told apart from one that came in its place.
struct SocketFile: Sendable {
    private let path: String
    private let identity: FileStatus.Identity

    /// Whether it goes with this agent; one that the service manager listens on stays.
    private let isOurs: Bool

    init(_ path: String, isOurs: Bool = true) throws(SystemError) {
        self.path = path
        self.isOurs = isOurs
        identity = try FileSystem.status(of: path).identity
    }

    /// A path that cannot be looked at for the moment says nothing.
    var isGone: Bool {
        do {
            return try FileSystem.status(of: path).identity != identity
        } catch {
            return error == .notFound
        }
    }

    /// Removes it, unless it is another's or the path leads to another's by now.
    func remove() {
        if isOurs, !isGone { try? FileSystem.remove(path) }
    }
}

extension FileSystem {
    /// Whether there is certainly nothing at a path.
    ///
    /// One that cannot be looked at for the moment says nothing.
    static func isMissing(_ path: String) -> Bool {
        do {
            _ = try status(of: path)
            return false
        } catch {
            return error == .notFound
        }
    }
}
