internal import CPlatform

/// Whether memory with keys in it stays out of the swap (mlock(2)).
package enum MemoryLock {
    /// Whether the kernel locks a page for this process now.
    ///
    /// libsodium asks for the same when it makes room for a key, and goes on without when refused.
    package static var isWorking: Bool { cplatform_can_lock_memory() == 1 }
}
