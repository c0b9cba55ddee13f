internal import CPlatform
internal import Glibc

/// Sockets between a service manager and its service.
package enum ServiceSocket {
    /// What a descriptor is that should be a listening UNIX stream socket.
    package enum Found: Sendable, Equatable {
        case listening(path: String)
        case notOpen
        case notASocket
        case notUnix
        case notAStream
        case notListening
    }

    /// Looks at a descriptor without taking it over.
    package static func look(at descriptor: Int32) throws(SystemError) -> Found {
        var path = [CChar](repeating: 0, count: 108)
        let count = cplatform_listening_path(descriptor, &path, UInt32(path.count))
        switch -count {
        case EBADF: return .notOpen
        case ENOTSOCK: return .notASocket
        case EAFNOSUPPORT: return .notUnix
        case EPROTOTYPE: return .notAStream
        case ENOTCONN: return .notListening
        default:
            let bytes = path.prefix(Int(try SystemError.check(count)))
            return .listening(
                path: String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            )
        }
    }

    /// Milliseconds for room in the queue of the other side.
    private static let patience: Int32 = 5000

    /// Sends a datagram to a UNIX socket by its path, or by its name after `@`; waits a few seconds
    /// where its queue is full.
    package static func send(_ text: String, to path: String) throws(SystemError) {
        let bytes = Array(text.utf8)
        let result = cplatform_send_datagram(
            path,
            UInt32(path.utf8.count),
            bytes,
            UInt32(bytes.count),
            patience
        )
        try SystemError.check(result)
    }
}
