internal import CPlatform

/// A program that is given something to read and a time to end in, and is ended with its whole process
/// group when that is over.
package final class SupervisedProcess: Sendable {
    /// How it came to its end.
    package enum Ending: Sendable, Equatable {
        case exited(Int32)
        case signalled(Int32)
        /// It took too long, or was not wanted any more.
        case killed
    }

    private struct State {
        /// Gone once it is reaped: the number is another's then.
        var number: Int32?
        var isKilled = false
    }

    private let state: Locked<State>

    /// Starts it: its own session, only these variables, `input` at its standard input and the rest
    /// of what it says nowhere.
    ///
    /// The input is what fits into a pipe: it is written before anybody reads.
    package init(
        _ path: String,
        arguments: [String] = [],
        input: [UInt8],
        environment: [String: String]
    ) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        try SystemError.check(cplatform_pipe(&ends))
        defer { Descriptor.close(ends[0]) }
        try Self.fill(ends[1], input)
        let number = Spawning.withCStrings([path] + arguments) { arguments in
            Spawning.withCStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
                cplatform_spawn_child(path, arguments, environment, ends[0])
            }
        }
        state = Locked(State(number: try SystemError.check(number)))
    }

    private static func fill(_ writeEnd: Int32, _ input: [UInt8]) throws(SystemError) {
        defer { Descriptor.close(writeEnd) }
        try Descriptor.setNonblocking(writeEnd)
        try Descriptor.write(input[...], to: writeEnd)
    }

    /// Blocks the thread until it has ended, which after some milliseconds it has to.
    package func wait(milliseconds: Int32) -> Ending {
        guard let number = state.withLock({ $0.number }) else { return .killed }
        if cplatform_has_ended(number, milliseconds) == 0 {
            kill()
            _ = cplatform_has_ended(number, .max)
        }
        let isKilled = state.withLock { state in
            state.number = nil
            return state.isKilled
        }
        let status = cplatform_reap(number)
        if isKilled { return .killed }
        return status < 256 ? .exited(status) : .signalled(status - 256)
    }

    /// Ends it and its group at once.
    package func kill() {
        state.withLock { state in
            guard let number = state.number else { return }
            state.isKilled = true
            cplatform_kill_group(number)
        }
    }
}
