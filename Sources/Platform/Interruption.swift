internal import Glibc

/// Breaks a connection off from another thread, which ends the call that sleeps on it.
package final class Interruption: Sendable {
    private struct State {
        var descriptor: Int32?
        var isRaised = false
    }

    private let state = Locked(State())

    package init() {}

    /// Ends the connection for both sides, also one that comes to be only later.
    package func raise() {
        state.withLock { state in
            state.isRaised = true
            // Under the lock: until it is let go of, its number is nobody else's.
            if let descriptor = state.descriptor { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    var isRaised: Bool {
        state.withLock { $0.isRaised }
    }

    func watch(_ descriptor: Int32) {
        state.withLock { state in
            state.descriptor = descriptor
            if state.isRaised { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    func forget() {
        state.withLock { $0.descriptor = nil }
    }
}
