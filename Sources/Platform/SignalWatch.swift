internal import CPlatform
internal import Glibc

/// Waits at a terminal for whichever comes first: a signal that ends or stops the program, or
/// something to read.
///
/// Signals take no effect until the watch ends: whoever has something to tidy up does it before. One
/// watch at a time: signals belong to the whole process.
package final class SignalWatch: Sendable {
    /// What came.
    package enum Event: Sendable, Equatable {
        case signal(Int32)
        /// These descriptors can be read, or have ended.
        case ready(Set<Int32>)
        case nothing
    }

    private struct State {
        var hushed: Int32?
        var isOver = false
    }

    private let state = Locked(State())

    /// Signals are noted from now on.
    package init() throws(SystemError) {
        try SystemError.check(cplatform_watch_begin())
    }

    deinit {
        if !state.withLock({ $0.isOver }) { end() }
    }

    /// Waits up to some seconds; a change of the window's size is nothing.
    package func wait(for descriptors: [Int32], seconds: Double) throws(SystemError) -> Event {
        var ready: UInt32 = 0
        let signal = try SystemError.check(
            cplatform_watch_wait_for(
                descriptors,
                UInt32(descriptors.count),
                Int32(seconds * 1000),
                &ready
            )
        )
        if signal != 0, signal != SIGWINCH { return .signal(signal) }
        let found = descriptors.indices.filter { ready & 1 << UInt32($0) != 0 }
        return found.isEmpty ? .nothing : .ready(Set(found.map { descriptors[$0] }))
    }

    /// What is typed at a terminal does not show, and comes byte by byte, until the watch ends.
    package func hush(_ terminal: Int32) throws(SystemError) {
        try SystemError.check(cplatform_hush_typing(terminal))
        state.withLock { $0.hushed = terminal }
    }

    /// Ends it, the terminal as it was, and has a signal take its effect.
    ///
    /// That of a signal that only stops is over when this returns: another watch may begin.
    package func end(raising signal: Int32? = nil) {
        let hushed = state.withLock { state in
            defer { state = State(isOver: true) }
            return state.hushed
        }
        if let hushed { cplatform_show_typing(hushed) }
        cplatform_watch_end(signal ?? 0)
    }

    /// Whether a signal stops a program, which goes on after that.
    package static func stops(_ signal: Int32) -> Bool { signal == SIGTSTP }
}
