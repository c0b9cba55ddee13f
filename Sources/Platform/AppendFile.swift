internal import CPlatform
internal import Glibc

/// A file that only grows, and makes way for a fresh one at its limit.
package struct AppendFile: ~Copyable {
    private let path: String
    private let limit: Int
    private var descriptor: Int32
    private var size: Int

    /// Opens or makes the file (0600).
    ///
    /// At `limit` bytes it is renamed to `path.1`.
    package init(path: String, limit: Int) throws(SystemError) {
        self.path = path
        self.limit = limit
        (descriptor, size) = try Self.open(path)
    }

    deinit {
        close(descriptor)
    }

    /// Adds bytes at the end; what does not fit on the disk is dropped.
    package mutating func append(_ bytes: [UInt8]) {
        if size + bytes.count > limit, rename(path, path + ".1") == 0,
            let (fresh, count) = try? Self.open(path)
        {
            close(descriptor)
            (descriptor, size) = (fresh, count)
        }
        let written = Glibc.write(descriptor, bytes, bytes.count)
        size += max(written, 0)
    }

    private static func open(_ path: String) throws(SystemError) -> (Int32, Int) {
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let descriptor = Glibc.open(path, flags, 0o600)
        guard descriptor >= 0 else { throw SystemError(number: errno) }
        return (descriptor, max(Int(lseek(descriptor, 0, SEEK_END)), 0))
    }
}
