import Glibc
import Platform
import Synchronization
import VaultHTTPServer

/// A blocking socket client that sends exactly what a test says; to be used in `onThread`.
final class RawClient {
    struct Answer {
        var status: Int
        var head: String
        var body: String
    }

    private let descriptor: Int32
    private var unread: [UInt8] = []

    private init(descriptor: Int32) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_RCVTIMEO,
            &limit,
            socklen_t(MemoryLayout<timeval>.size)
        )
    }

    deinit {
        close(descriptor)
    }

    static func connected(directory: String, name: String) throws -> RawClient {
        RawClient(descriptor: try Socket.connect(directory: directory, name: name))
    }

    static func connected(port: UInt16) throws -> RawClient {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let failed = withUnsafeBytes(of: &address) {
            connect(
                descriptor,
                $0.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t($0.count)
            )
        }
        guard failed == 0 else { throw SystemError(number: errno) }
        return RawClient(descriptor: descriptor)
    }

    func send(_ text: String) {
        try? Socket.writeAll(Array(text.utf8), to: descriptor)
    }

    /// One answer by its Content-Length; nothing when the connection ends before a byte.
    func answer() -> Answer? {
        while true {
            if let end = unread.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: unread[..<end.lowerBound], as: UTF8.self)
                let length = Self.contentLength(head)
                if unread.count >= end.upperBound + length {
                    let body = unread[end.upperBound..<end.upperBound + length]
                    unread.removeFirst(end.upperBound + length)
                    let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) }
                    return Answer(
                        status: status ?? 0,
                        head: head,
                        body: String(decoding: body, as: UTF8.self)
                    )
                }
            }
            guard readSome() else { return nil }
        }
    }

    /// What comes up to the end of some text; nothing when the connection ends before.
    func text(upTo end: String) -> String? {
        while true {
            if let found = unread.firstRange(of: Array(end.utf8)) {
                defer { unread.removeFirst(found.upperBound) }
                return String(decoding: unread[..<found.upperBound], as: UTF8.self)
            }
            guard readSome() else { return nil }
        }
    }

    /// Whether the other side has neither ended the connection nor broken it; nothing is read.
    var isOpen: Bool {
        // POLLRDHUP of poll(2), which only GNU sources see.
        var state = pollfd(fd: descriptor, events: 0x2000, revents: 0)
        return poll(&state, 1, 0) == 0
    }

    /// Sends text and a descriptor with it (unix(7), `SCM_RIGHTS`).
    func send(_ text: String, passing passed: Int32) {
        var bytes = Array(text.utf8)
        // cmsg(3): the length of 20 bytes, the level, the type and the descriptor, padded to 24.
        var control: [Int32] = [20, 0, SOL_SOCKET, 1, passed, 0]
        bytes.withUnsafeMutableBytes { bytes in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    _ = sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
                }
            }
        }
    }

    /// Everything until the connection ends.
    func rest() -> String {
        while readSome() {}
        defer { unread = [] }
        return String(decoding: unread, as: UTF8.self)
    }

    private func readSome() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return false }
        unread += buffer[..<count]
        return true
    }

    private static func contentLength(_ head: String) -> Int {
        for line in head.lowercased().split(separator: "\r\n") {
            if line.hasPrefix("content-length: ") { return Int(line.dropFirst(16)) ?? 0 }
        }
        return 0
    }
}

/// Runs blocking code where it does not hold one of the few threads that tasks share.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
{
    try await withCheckedThrowingContinuation { continuation in
        do {
            try DedicatedThread.start { continuation.resume(with: Result { try body() }) }
        } catch {
            continuation.resume(throwing: error)
        }
    }
}

/// A directory under /tmp that goes with its value.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/vault-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(number: errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        unlink("\(path)/http.sock")
        rmdir(path)
    }
}
