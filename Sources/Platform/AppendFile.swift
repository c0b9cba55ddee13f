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
        if size + bytes.count > limit { makeWay() }
        let written = Glibc.write(descriptor, bytes, bytes.count)
        guard written < bytes.count else { return size += written }
        // Half an entry would spoil the next one too.
        if written > 0, ftruncate(descriptor, off_t(size)) != 0 { size += written }
    }

    private mutating func makeWay() {
        // Renamed already when the last attempt could not make the fresh file.
        guard rename(path, path + ".1") == 0 || errno == ENOENT else {
            // Something is in the way that does not go: better no old entries than no end of them.
            if ftruncate(descriptor, 0) == 0 { size = 0 }
            return
        }
        guard let (fresh, count) = try? Self.open(path) else { return }
        close(descriptor)
        (descriptor, size) = (fresh, count)
    }

    private static func open(_ path: String) throws(SystemError) -> (Int32, Int) {
        // Non-blocking for the sake of a FIFO in the file's place, which would keep the open waiting.
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = Glibc.open(path, flags, 0o600)
        guard descriptor >= 0, fchmod(descriptor, 0o600) == 0 else {
            let failure = SystemError(number: errno)
            if descriptor >= 0 { close(descriptor) }
            throw failure
        }
        return (descriptor, max(Int(lseek(descriptor, 0, SEEK_END)), 0))
    }
}
