internal import CPlatform
internal import Glibc

/// A connection to a UNIX socket, used by blocking calls and closed with its owner.
package struct ConnectedSocket: ~Copyable, Sendable {
    private let descriptor: Int32
    private let interruption: Interruption?

    /// Connects to `directory/name`, however long that path is, within `timeout` seconds; zero is no
    /// limit but the interruption.
    package init(
        directory: String,
        name: String,
        timeout: Int32 = 0,
        interruption: Interruption? = nil
    ) throws(SystemError) {
        descriptor = try Socket.connect(
            directory: directory,
            name: name,
            timeout: timeout,
            interruption: interruption
        )
        self.interruption = interruption
        interruption?.watch(descriptor)
    }

    deinit {
        interruption?.forget()
        close(descriptor)
    }

    /// The user of the process at the other end, as the kernel recorded it.
    package var peerUserID: UInt32? {
        UInt32(exactly: cplatform_peer_uid(descriptor))
    }

    /// Its number, for waiting until there is something to read.
    package var number: Int32 { descriptor }

    /// Limits each later read and write.
    package func setTimeout(seconds: Int32) throws(SystemError) {
        try SystemError.check(cplatform_set_timeouts(descriptor, seconds))
    }

    package func write(_ bytes: [UInt8]) throws(SystemError) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                send(
                    descriptor,
                    buffer.baseAddress?.advanced(by: sent),
                    bytes.count - sent,
                    Int32(MSG_NOSIGNAL)
                )
            }
            if count < 0, errno == EINTR { continue }
            sent += try SystemError.check(count < 0 ? -Int(errno) : count)
        }
    }

    /// Everything up to the end of the connection; the caller wipes it.
    package func readToEnd(limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var isWhole = false
        defer { if !isWhole { Memory.wipe(&bytes) } }
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        defer { Memory.wipe(&chunk) }
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0, errno == EINTR { continue }
            if try SystemError.check(count < 0 ? -Int(errno) : count) == 0 {
                isWhole = true
                return bytes
            }
            guard bytes.count + count <= limit else { throw SystemError(number: EMSGSIZE) }
            Self.append(chunk[..<count], to: &bytes)
        }
    }

    /// What has arrived, once anything has; nothing at the end of the connection.
    package func readSome(limit: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        while true {
            let count = recv(descriptor, &bytes, limit, 0)
            if count < 0, errno == EINTR { continue }
            bytes.removeLast(limit - (try SystemError.check(count < 0 ? -Int(errno) : count)))
            return bytes
        }
    }

    /// Growing would leave copies of a secret behind.
    private static func append(_ chunk: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
        if bytes.count + chunk.count > bytes.capacity {
            var larger: [UInt8] = []
            larger.reserveCapacity(max(2 * bytes.capacity, bytes.count + chunk.count))
            larger += bytes
            Memory.wipe(&bytes)
            bytes = larger
        }
        bytes += chunk
    }
}
