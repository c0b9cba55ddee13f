internal import CPlatform
internal import Synchronization

/// A value that can only be reached while its lock is held.
///
/// The standard library's `Mutex`, which the thread sanitizer of this toolchain does not know:
/// each critical section is announced to it. Never call out of the closure (callbacks,
/// continuations, logging): compute under the lock, act after it.
package struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>

    package init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) in
            withUnsafePointer(to: self) { cplatform_tsan_acquire($0) }
            defer { withUnsafePointer(to: self) { cplatform_tsan_release($0) } }
            return try body(&value)
        }
    }
}
