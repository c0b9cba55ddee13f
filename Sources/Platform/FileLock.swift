internal import CPlatform
internal import Glibc

/// The vault's lock file: exclusive byte-range locks that the kernel frees when their holder dies.
///
/// Open-file-description locks (fcntl(2), `F_OFD_SETLK`) belong to this descriptor, not to the
/// process, so two vaults opened in one process exclude each other too. A range taken twice
/// through one `FileLock` is granted twice: callers keep single flight among themselves.
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// Opens the lock file, creating it (0600) when it is missing.
    ///
    /// It is never unlinked.
    package init(path: String) throws(SystemError) {
        descriptor = try SystemError.check(cplatform_open_lock_file(path))
    }

    /// Opens a lock file that is there.
    package init(_ name: String, in directory: borrowing OwnDirectory) throws(SystemError) {
        descriptor = try SystemError.check(
            cplatform_open_lock_file_in(directory.descriptor, name)
        )
    }

    deinit {
        // Closing is not enough while a child between fork and exec still has the description.
        _ = cplatform_unlock(descriptor, 0, 0)
        close(descriptor)
    }

    /// Takes a range if nobody else holds part of it, and says whether it did.
    package func tryLock(_ range: Range) throws(SystemError) -> Bool {
        try SystemError.check(cplatform_try_lock(descriptor, range.offset, range.length)) == 1
    }

    /// Whether another holder has part of a range now.
    package func isHeldElsewhere(_ range: Range) throws(SystemError) -> Bool {
        try SystemError.check(cplatform_is_locked(descriptor, range.offset, range.length)) == 1
    }

    package func unlock(_ range: Range) {
        _ = cplatform_unlock(descriptor, range.offset, range.length)
    }

    /// Bytes of the lock file.
    package struct Range: Sendable {
        let offset: Int64
        let length: Int64

        /// The right to spend one account's refresh token.
        package static func account(_ number: Int64) -> Range {
            Range(offset: number, length: 1)
        }

        /// Every account at once: no refresh is in flight while it is held.
        package static let allAccounts = Range(offset: 0, length: agentOffset)

        /// The one agent of this vault.
        package static let agent = Range(offset: agentOffset, length: 1)

        /// Held by whoever waits for `allAccounts`: no refresh begins meanwhile, so that waiting ends.
        package static let maintenance = Range(offset: agentOffset + 1, length: 1)

        private static let agentOffset: Int64 = 1 << 62
    }
}
