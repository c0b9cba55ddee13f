internal import Platform

/// Tells the service manager how the agent does (sd_notify(3)): a datagram, to nobody where nobody
/// asked for it.
struct ServiceNotifier: Sendable {
    /// Seconds between two extensions of the time that stopping may take.
    static let extensionInterval = 10.0
    /// As many: a pair that no disk takes does not hold up a shutdown for ever.
    static let extensionLimit = 60

    private let socket: String?
    private let watchdogInterval: Double?

    init(_ environment: ServiceEnvironment) {
        socket = environment.notifySocket
        watchdogInterval = environment.watchdogInterval
    }

    func ready(_ status: String) {
        send(["READY=1", "STATUS=\(status)"])
    }

    /// Why the agent does not start.
    func failed(_ status: String) {
        send(["STATUS=\(status)"])
    }

    /// To be followed by `ready`.
    func reloading() {
        // The manager tells by the time which reload it was asked for.
        send(["RELOADING=1", "MONOTONIC_USEC=\(Uptime.monotonicMicroseconds())"])
    }

    func stopping(_ status: String) {
        send(["STOPPING=1", "STATUS=\(status)"])
    }

    /// Signs of life, as often as the manager wants them, until the task is cancelled.
    func keepAlive() async {
        guard let watchdogInterval else { return }
        let clock = SystemClock()
        repeat {
            send(["WATCHDOG=1"])
        } while (try? await clock.sleep(seconds: watchdogInterval)) != nil
    }

    /// Asks for more time to stop in, again and again until the task is cancelled.
    func extendStopping() async {
        guard socket != nil else { return }
        let clock = SystemClock()
        for _ in 1...Self.extensionLimit {
            let microseconds = Int(3 * Self.extensionInterval * 1e6)
            send(["EXTEND_TIMEOUT_USEC=\(microseconds)"])
            guard (try? await clock.sleep(seconds: Self.extensionInterval)) != nil else { return }
        }
    }

    private func send(_ lines: [String]) {
        guard let socket else { return }
        // One line is one assignment, whatever is in it.
        let text = lines.map { $0.replacing("\n", with: " ") }.joined(separator: "\n")
        // A manager that cannot be told finds out for itself.
        try? ServiceSocket.send(text, to: socket)
    }
}
