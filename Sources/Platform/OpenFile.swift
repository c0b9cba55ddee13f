internal import CPlatform
internal import Glibc

/// A file opened for reading, and what it is: asked of the file itself, so that nobody can put
/// another in its place between the question and the reading.
package struct OpenFile: ~Copyable {
    private let descriptor: Int32
    package let status: FileStatus
    /// Whether nobody can write to it through this mount.
    package let isOnReadOnlyMount: Bool

    /// Opens a file; a FIFO or device does not make it wait.
    ///
    /// - Throws: `SystemError.tooManyLinks` for a symbolic link that is not to be followed.
    package init(reading path: String, followingLinks: Bool) throws(SystemError) {
        var status = cplatform_file_status()
        var isReadOnly: Int32 = 0
        descriptor = try SystemError.check(
            cplatform_open_to_read(path, followingLinks ? 1 : 0, &status, &isReadOnly)
        )
        self.status = FileStatus(status)
        isOnReadOnlyMount = isReadOnly != 0
    }

    deinit {
        close(descriptor)
    }

    /// The first `limit` bytes, which the caller wipes if they are secret.
    ///
    /// A pipe is waited for only if that is asked for: until somebody writes, and then to the end.
    package func read(
        limit: Int,
        waitingForPipe isPatient: Bool = false
    ) throws(SystemError) -> [UInt8] {
        let waits = isPatient && status.kind == .pipe
        if waits { waitReadable() }
        // One allocation: growing would leave copies of a secret behind.
        var bytes = [UInt8](repeating: 0, count: limit)
        var count = 0
        while count < limit {
            let got = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), limit - count)
            }
            if got < 0, errno == EINTR { continue }
            if got < 0, errno == EAGAIN, waits {
                waitReadable()
                continue
            }
            guard got >= 0 else { throw SystemError(number: errno) }
            if got == 0 { break }
            count += got
        }
        bytes.removeLast(limit - count)
        return bytes
    }

    private func waitReadable() {
        // A signal ends a wait early; the reading then tells whether there is something.
        _ = Descriptor.waitReadable([descriptor], milliseconds: -1)
    }
}
