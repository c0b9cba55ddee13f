internal import Glibc
internal import Platform

/// Decides which connections come in, before a byte of them is read.
struct ConnectionGate {
    let listener: ListeningSocket
    let limit: Int
    let check: HTTPServer.PeerCheck?
    private var closedUntil: ContinuousClock.Instant?

    init(listener: ListeningSocket, limit: Int, check: HTTPServer.PeerCheck?) {
        self.listener = listener
        self.limit = limit
        self.check = check
    }

    /// How long the gate stays shut for want of descriptors or memory; accept(2) would fail at once
    /// again, and poll(2) with it never sleep.
    private static let pause: Duration = .milliseconds(100)

    /// The descriptor to poll, when a connection may come in.
    mutating func descriptor(hasRoom: Bool, now: ContinuousClock.Instant) -> Int32? {
        if let end = closedUntil {
            guard now >= end else { return nil }
            closedUntil = nil
        }
        return hasRoom ? listener.descriptor : nil
    }

    /// Time until the gate opens again, when it is shut.
    func remainingPause(now: ContinuousClock.Instant) -> Duration? {
        closedUntil.map { $0 - now }
    }

    /// The next connection that is let in; those that are not are closed.
    mutating func next() -> Int32? {
        do throws(SystemError) {
            while let connection = try listener.accept() {
                if isWelcome(connection) { return connection }
                Descriptor.close(connection)
            }
        } catch {
            switch error.number {
            case ECONNABORTED, EINTR: break
            default: closedUntil = .now + Self.pause
            }
        }
        return nil
    }

    /// Who connected, where the kernel knows.
    func peerProcess(of connection: Int32) -> Int32? {
        guard case .unix = listener.kind else { return nil }
        return Socket.peerProcess(of: connection)
    }

    private func isWelcome(_ connection: Int32) -> Bool {
        guard let check, case .unix = listener.kind else { return true }
        guard let user = Socket.peerUserID(of: connection) else { return false }
        return check(user)
    }
}
