internal import CPlatform
internal import Synchronization

/// A value that can only be reached while its lock is held.
///
/// The standard library's `Mutex`, which the thread sanitizer of this toolchain does not know:
/// each critical section is announced to it. Never call out of the closure (callbacks,
/// continuations, logging): compute under the lock, act after it.
///
/// A class with the value beside the lock, not a `Mutex` of the value: no `package` function is
/// specialised in another module, and there a generic structure costs a look-up of its metadata at
/// every turn, together ten times what the lock does.
package final class Locked<Value: ~Copyable>: @unchecked Sendable {
    // Unchecked because nothing reaches the value but `withLock`, which holds the mutex.
    private let mutex = Mutex(())
    private var value: Value

    package init(_ value: consuming sending Value) {
        self.value = value
    }

    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { _ throws(Failure) in
            cplatform_tsan_acquire(address)
            defer { cplatform_tsan_release(address) }
            return try body(&value)
        }
    }

    private var address: UnsafeRawPointer {
        UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }
}
