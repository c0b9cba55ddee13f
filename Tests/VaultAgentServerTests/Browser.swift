import Glibc
import Platform

/// What a server answered.
struct Page: Sendable {
    let status: Int
    let head: String
    let body: String

    /// A header field's value, by its name as the server writes it.
    func header(_ name: String) -> String? {
        head.split(separator: "\r\n").first { $0.hasPrefix(name + ": ") }
            .map { String($0.dropFirst(name.count + 2)) }
    }
}

/// One connection to a port of 127.0.0.1 that says exactly what a test wants.
final class Browser: Sendable {
    private let descriptor: Int32

    /// Connects; throws when nobody listens.
    init(port: UInt16, address: UInt32 = 0x7f00_0001) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = address.bigEndian
        let failed = withUnsafeBytes(of: &name) { bytes in
            connect(
                descriptor,
                bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t(bytes.count)
            )
        }
        guard failed == 0 else { throw SystemError(number: errno) }
        var limit = timeval(tv_sec: 20, tv_usec: 0)
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

    /// Sends bytes, if asked to in small pieces; what the server no longer reads is lost.
    func say(_ bytes: [UInt8], piece: Int? = nil, pauseMilliseconds: UInt32 = 0) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let next = rest.prefix(piece ?? rest.count)
            guard (try? Socket.writeAll(Array(next), to: descriptor)) != nil else { return }
            rest = rest.dropFirst(next.count)
            if piece != nil { usleep(pauseMilliseconds * 1000) }
        }
    }

    /// The next answer, by its Content-Length; nothing when the connection ends without one.
    ///
    /// Throws when neither happens.
    func page(ofHead isHead: Bool = false) throws -> Page? {
        var bytes: [UInt8] = []
        while true {
            if let page = Self.page(bytes, isHead: isHead) { return page }
            var chunk = [UInt8](repeating: 0, count: 65536)
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EAGAIN { throw SystemError.tryAgain }
            guard count > 0 else { return nil }
            bytes += chunk[..<count]
        }
    }

    /// Ends the connection with a reset.
    func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_LINGER,
            &now,
            socklen_t(MemoryLayout<linger>.size)
        )
    }

    private static func page(_ bytes: [UInt8], isHead: Bool) -> Page? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
        let head = String(text[..<end.lowerBound])
        let body = text[end.upperBound...]
        let length = head.firstMatch(of: /Content-Length: (\d+)/).flatMap { Int($0.1) } ?? 0
        guard isHead || body.utf8.count >= length else { return nil }
        let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return Page(status: status, head: head, body: String(body))
    }

    /// One GET on a connection of its own; nothing when nobody listens or answers.
    static func get(
        _ port: UInt16,
        _ target: String,
        method: String = "GET",
        headers: String = ""
    ) async throws -> Page? {
        try await onThread {
            guard let browser = try? Browser(port: port) else { return nil }
            let head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(headers)\r\n"
            browser.say(Array(head.utf8))
            return try browser.page(ofHead: method == "HEAD")
        }
    }
}

/// Runs blocking code where it does not hold one of the few threads that tasks share.
func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        do {
            try DedicatedThread.start { continuation.resume(with: Result { try body() }) }
        } catch {
            continuation.resume(throwing: error)
        }
    }
}
