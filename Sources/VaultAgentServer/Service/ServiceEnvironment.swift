internal import Platform

/// What a service manager tells the agent (sd_listen_fds(3), sd_notify(3), sd_watchdog_enabled(3)).
package struct ServiceEnvironment: Sendable {
    /// The variables; no program that the agent starts has them.
    private static let names = [
        "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_PID",
        "WATCHDOG_USEC",
    ]

    let variables: [String: String]
    let process: Int32

    init(_ variables: [String: String] = [:], process: Int32 = ProcessIdentity.current) {
        self.variables = variables
        self.process = process
    }

    /// Takes them out of this process's environment; to be called before there is another thread.
    package static func take() -> ServiceEnvironment {
        ServiceEnvironment(Environment.take(names))
    }

    /// Where to say how the agent does.
    var notifySocket: String? { variables["NOTIFY_SOCKET"] }

    /// Seconds between two signs of life, if they are wanted: half of what the manager waits.
    var watchdogInterval: Double? {
        guard let microseconds = variables["WATCHDOG_USEC"].flatMap({ UInt64($0) }),
            microseconds > 0,
            variables["WATCHDOG_PID"].map({ $0 == "\(process)" }) ?? true
        else { return nil }
        return Double(microseconds) * 0.5e-6
    }
}
