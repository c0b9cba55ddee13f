import Foundation

/// As much of an HTTP server as one page needs: a thread that accepts, one answer a connection.
final class PageServer: Sendable {
    struct Failure: Error {
        let number: Int32
    }

    /// The port it listens at, on 127.0.0.1.
    let port: UInt16

    /// Listens at a port, 0 for a free one, and answers every request with the page.
    init(port: UInt16, page: @escaping @Sendable () async -> String) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var isReused: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &isReused, 4)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isListening else { throw Failure(number: errno) }
        self.port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else {
                    Thread.sleep(forTimeInterval: 0.1)
                    continue
                }
                Task {
                    let page = await page()
                    // Not here: whoever reads slowly would hold up what renews tokens.
                    Thread.detachNewThread { Self.answer(connection, with: page) }
                }
            }
        }
    }

    private static func answer(_ connection: Int32, with page: String) {
        defer { close(connection) }
        // One who asks or reads slowly is not waited for.
        var patience = timeval(tv_sec: 1, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(
                connection,
                SOL_SOCKET,
                option,
                &patience,
                socklen_t(MemoryLayout<timeval>.size)
            )
        }
        var request = [UInt8](repeating: 0, count: 4096)
        guard recv(connection, &request, request.count, 0) > 0 else { return }
        let answer = """
            HTTP/1.1 200 OK\r
            Content-Type: text/html; charset=utf-8\r
            Content-Length: \(page.utf8.count)\r
            Cache-Control: no-store\r
            Connection: close\r
            \r
            \(page)
            """
        let bytes = Array(answer.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }
}
