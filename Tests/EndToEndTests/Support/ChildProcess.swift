import Glibc

/// A program started with exactly the environment and the descriptors that a test gives it.
final class ChildProcess {
    let pid: pid_t
    private var status: Int32?

    /// Starts a program; `descriptors` maps each descriptor of the child to one of ours.
    ///
    /// It has the terminal that is given, or none at all: whoever runs the tests at one is not asked.
    init(
        _ path: String,
        _ arguments: [String],
        environment: [String: String],
        descriptors: [Int32: Int32],
        terminal: String? = nil
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (theirs, ours) in descriptors {
            posix_spawn_file_actions_adddup2(&actions, ours, theirs)
        }
        if let terminal {
            // A session leader gets its controlling terminal by opening one.
            posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        Self.resetSignals(&attributes)
        var child: pid_t = 0
        let result = Self.withCStrings([path] + arguments) { arguments in
            Self.withCStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
                posix_spawn(&child, path, &actions, &attributes, arguments, environment)
            }
        }
        guard result == 0 else { throw HarnessError("cannot start \(path): errno \(result)") }
        pid = child
    }

    /// POSIX_SPAWN_SETSID of <spawn.h>, which Swift does not see.
    private static let setSession: Int16 = 0x80

    /// The threads of this process block signals, which a child would inherit.
    private static func resetSignals(_ attributes: inout posix_spawnattr_t) {
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | setSession
        )
    }

    private static func withCStrings<Result>(
        _ strings: [String],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers = strings.map { strdup($0) }
        defer { pointers.forEach { free($0) } }
        pointers.append(nil)
        return body(pointers)
    }

    /// Its exit status, or 128 and the signal that ended it; nil while it runs.
    func exitStatus() -> Int32? {
        if let status { return status }
        var raw: Int32 = 0
        guard waitpid(pid, &raw, WNOHANG) == pid else { return nil }
        let signal = raw & 0x7f
        status = signal == 0 ? (raw >> 8) & 0xff : 128 + signal
        return status
    }

    /// Waits for its end, and makes one after some seconds.
    func wait(seconds: Double) throws -> Int32 {
        if try poll(seconds: seconds, { self.exitStatus() != nil }), let status = exitStatus() {
            return status
        }
        kill(SIGKILL)
        _ = try poll(seconds: 10) { self.exitStatus() != nil }
        throw HarnessError("process \(pid) did not end within \(seconds) s")
    }

    /// Waits until it has stopped itself.
    func waitUntilStopped() throws {
        let isStopped = try poll(seconds: 20) {
            var raw: Int32 = 0
            return waitpid(self.pid, &raw, WNOHANG | WUNTRACED) == self.pid && raw & 0xff == 0x7f
        }
        guard isStopped else { throw HarnessError("process \(pid) did not come to the barrier") }
    }

    /// Sends a signal, unless its end was seen already: its number may be another's by then.
    func kill(_ signal: Int32) {
        if status == nil { _ = Glibc.kill(pid, signal) }
    }
}

/// Looks again and again until something is so; false when it was not in time.
func poll(
    seconds: Double,
    every milliseconds: UInt32 = 2,
    _ condition: () throws -> Bool
) throws -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while true {
        if try condition() { return true }
        guard ContinuousClock.now < end else { return false }
        usleep(milliseconds * 1000)
    }
}

/// A fault of the tests' own tools, or of what they stand on.
struct HarnessError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
