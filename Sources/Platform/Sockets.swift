internal import CPlatform
internal import Glibc

/// A socket that connections arrive at; closed by `close()` or with the last reference.
package final class ListeningSocket: Sendable {
    package enum Kind: Sendable {
        /// A UNIX socket: the kernel knows the user at the other end.
        case unix
        case tcp(port: UInt16)
    }

    package let kind: Kind
    private let state: Locked<Int32?>

    /// Takes over a descriptor that listens already (systemd socket activation, inheritance).
    ///
    /// The descriptor belongs to the new value, and is closed when this throws.
    package init(adopting descriptor: Int32) throws(SystemError) {
        state = Locked(descriptor)
        do throws(SystemError) {
            kind = try Self.kind(of: descriptor)
            // Another process that shares the socket may take a connection between poll and accept.
            try Descriptor.setNonblocking(descriptor)
        } catch {
            Descriptor.close(descriptor)
            throw error
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    private static func kind(of descriptor: Int32) throws(SystemError) -> Kind {
        let port = cplatform_local_port(descriptor)
        if port == -EAFNOSUPPORT { return .unix }
        return .tcp(port: UInt16(clamping: try SystemError.check(port)))
    }

    /// A UNIX socket `directory/name` (0600); the name must be free.
    package static func unix(
        directory: String,
        name: String,
        backlog: Int32 = ListeningSocket.backlog
    ) throws(SystemError) -> ListeningSocket {
        try ListeningSocket(
            adopting: SystemError.check(cplatform_unix_listen(directory, name, backlog))
        )
    }

    /// A TCP socket on 127.0.0.1 or [::1]; port 0 takes a free one.
    package static func loopback(
        port: UInt16 = 0,
        ipv6: Bool = false
    ) throws(SystemError) -> ListeningSocket {
        try ListeningSocket(
            adopting: SystemError.check(cplatform_loopback_listen(ipv6 ? 1 : 0, port, backlog))
        )
    }

    deinit {
        close()
    }

    /// The port, or 0 for a UNIX socket.
    package var port: UInt16 {
        switch kind {
        case .unix: 0
        case .tcp(let port): port
        }
    }

    /// What to poll; nothing once closed.
    package var descriptor: Int32? {
        state.withLock { $0 }
    }

    /// The next connection, non-blocking and close-on-exec; nothing when none is waiting.
    package func accept() throws(SystemError) -> Int32? {
        guard let descriptor else { return nil }
        do throws(SystemError) {
            return try SystemError.check(cplatform_accept(descriptor, 0))
        } catch .tryAgain {
            return nil
        }
    }

    package func close() {
        let descriptor = state.withLock { state in
            defer { state = nil }
            return state
        }
        if let descriptor { Descriptor.close(descriptor) }
    }

    /// Connections that may wait to be accepted.
    package static let backlog: Int32 = 1024
}

/// Connections to sockets of this machine.
package enum Socket {
    /// A connection to the UNIX socket `directory/name`; the caller closes it.
    ///
    /// Where more connections wait to be accepted than may, as at a process that was stopped, this one
    /// waits for room: `timeout` seconds, or without a limit where that is zero.
    ///
    /// - Throws: ``SystemError``; `tryAgain` when there was no room in time, or the interruption was
    ///   raised.
    package static func connect(
        directory: String,
        name: String,
        timeout: Int32 = 0,
        interruption: Interruption? = nil
    ) throws(SystemError) -> Int32 {
        let end = timeout > 0 ? Uptime.seconds() + Double(timeout) : .infinity
        while true {
            do throws(SystemError) {
                return try SystemError.check(cplatform_unix_connect(directory, name, connectSlice))
            } catch  where error == .tryAgain || error == .interrupted {
                // Shutting down a socket that is not connected yet wakes nobody up: so it is looked.
                guard interruption?.isRaised != true, Uptime.seconds() < end else {
                    throw .tryAgain
                }
            }
        }
    }

    /// Milliseconds until a connection that waits for room looks whether it is still wanted.
    private static let connectSlice: Int32 = 50

    /// The user at the other end of a UNIX socket; nothing where the kernel cannot tell.
    package static func peerUserID(of descriptor: Int32) -> UInt32? {
        UInt32(exactly: cplatform_peer_uid(descriptor))
    }

    /// The process at the other end of a UNIX socket, when it connected; nothing where the kernel cannot
    /// tell.
    package static func peerProcess(of descriptor: Int32) -> Int32? {
        Int32(exactly: cplatform_peer_pid(descriptor)).flatMap { $0 > 0 ? $0 : nil }
    }

    /// Ends a connection for both sides; its descriptor stays open.
    package static func shutDown(_ descriptor: Int32) {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Writes all bytes, waiting for the peer up to a second each time its buffer is full.
    package static func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                guard Descriptor.wait(until: descriptor, is: POLLOUT, milliseconds: 1000) else {
                    throw .tryAgain
                }
            } else if errno != EINTR {
                throw SystemError(number: errno)
            }
        }
    }
}
