internal import CPlatform
internal import Glibc

/// What is done to any open file.
package enum Descriptor {
    package static func close(_ descriptor: Int32) {
        _ = Glibc.close(descriptor)
    }

    /// Writes all of a text, past the buffers of the C library.
    package static func write(_ text: String, to descriptor: Int32) throws(SystemError) {
        try write(Array(text.utf8)[...], to: descriptor)
    }

    static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(SystemError) {
        var rest = bytes
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR {
                throw SystemError(number: errno)
            }
        }
    }

    /// Everything up to the end, if that is no more than `limit` bytes; the caller wipes it.
    package static func readToEnd(_ descriptor: Int32, limit: Int) throws(SystemError) -> [UInt8] {
        // One allocation: growing would leave copies of a secret behind.
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var isWhole = false
        defer { if !isWhole { cplatform_wipe(&bytes, UInt64(bytes.count)) } }
        var count = 0
        while count <= limit {
            let got = bytes.withUnsafeMutableBytes { buffer in
                read(descriptor, buffer.baseAddress?.advanced(by: count), limit + 1 - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw SystemError(number: errno) }
            if got == 0 { break }
            count += got
        }
        guard count <= limit else { throw SystemError.tooLarge }
        bytes.removeLast(bytes.count - count)
        isWhole = true
        return bytes
    }

    /// Waits until one of the descriptors can be read (or has ended), and says which can.
    ///
    /// A negative time-out waits for ever. A signal ends the wait early with none ready.
    package static func waitReadable(_ descriptors: [Int32], milliseconds: Int32) -> [Bool] {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let count = poll(&entries, nfds_t(entries.count), milliseconds)
        guard count > 0 else { return descriptors.map { _ in false } }
        return entries.map { $0.revents != 0 }
    }

    static func wait(until descriptor: Int32, is event: Int32, milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }

    static func setNonblocking(_ descriptor: Int32) throws(SystemError) {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) >= 0 else {
            throw SystemError(number: errno)
        }
    }
}
