internal import Glibc

/// Threads of their own, for loops that sleep in a C library and must not hold one of Swift's.
package enum DedicatedThread {
    /// Runs the closure on a new thread, which ends with it.
    package static func start(_ body: sending @escaping () -> Void) throws(SystemError) {
        pthread_detach(try create(body))
    }

    /// The same for a thread that can be waited for.
    package static func startJoinable(
        _ body: sending @escaping () -> Void
    ) throws(SystemError) -> JoinableThread {
        JoinableThread(try create(body))
    }

    private static func create(
        _ body: sending @escaping () -> Void
    ) throws(SystemError) -> pthread_t {
        let box = Unmanaged.passRetained(Box(body))
        var thread = pthread_t()
        let failure = pthread_create(&thread, nil, { Box.run($0) }, box.toOpaque())
        guard failure == 0 else {
            box.release()
            throw SystemError(number: failure)
        }
        return thread
    }

    private final class Box {
        let body: () -> Void

        init(_ body: @escaping () -> Void) {
            self.body = body
        }

        static func run(_ opaque: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            guard let opaque else { return nil }
            let box = Unmanaged<Box>.fromOpaque(opaque).takeRetainedValue()
            box.body()
            return nil
        }
    }
}

/// A thread whose end can be waited for.
package final class JoinableThread: Sendable {
    private let thread: Locked<pthread_t?>

    fileprivate init(_ thread: pthread_t) {
        self.thread = Locked(thread)
    }

    deinit {
        if let thread = take() { pthread_detach(thread) }
    }

    /// Waits until the thread has ended, also for one who comes second; called on that thread it does
    /// nothing.
    package func join() {
        thread.withLock { held in
            guard let thread = held else { return }
            held = nil
            if pthread_equal(thread, pthread_self()) != 0 {
                pthread_detach(thread)
            } else {
                // Under the lock, for whoever comes second.
                pthread_join(thread, nil)
            }
        }
    }

    private func take() -> pthread_t? {
        thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
    }
}
