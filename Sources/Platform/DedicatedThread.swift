internal import Glibc

/// Threads of their own, for loops that sleep in a C library and must not hold one of Swift's.
package enum DedicatedThread {
    /// Runs the closure on a new thread, which ends with it.
    package static func start(_ body: sending @escaping () -> Void) throws(SystemError) {
        let box = Unmanaged.passRetained(Box(body))
        var thread = pthread_t()
        let failure = pthread_create(&thread, nil, { Box.run($0) }, box.toOpaque())
        guard failure == 0 else {
            box.release()
            throw SystemError(number: failure)
        }
        pthread_detach(thread)
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
