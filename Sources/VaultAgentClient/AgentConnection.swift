package import Platform
internal import VaultCrypto

/// One request to the agent and its whole answer, over the UNIX socket in the vault's directory.
///
/// HTTP/1.0 without keep-alive: the answer ends with the connection, and its length is checked, so
/// that no parser of chunks or pipelines is needed here.
package struct AgentConnection: Sendable {
    /// Why there is no answer.
    package enum Failure: Error, Sendable, Equatable {
        /// Nobody listens.
        case notRunning
        /// The socket belongs to another user's process.
        case foreignPeer(userID: UInt32?)
        /// The connection broke, or took longer than allowed.
        case broken(SystemError?)
        /// What came back is not an answer of the agent.
        case malformedAnswer
    }

    /// An answer.
    package struct Answer: Sendable {
        package let status: Int
        package let headers: [String: String]
        /// Whoever has it wipes it, where there may be a token in it.
        package var body: [UInt8]
    }

    /// Bytes: a list of 100,000 accounts has room in them.
    private static let maximumAnswer = 128 << 20
    private let directory: String
    private let socketName: String
    private let maximumAnswer: Int
    private let isWaitedFor: Wait?

    /// Waits for an answer that comes from a descriptor; false gives the call up.
    package typealias Wait = @Sendable (_ descriptor: Int32) -> Bool

    package init(
        directory: String,
        socketName: String,
        maximumAnswer: Int = Self.maximumAnswer,
        isWaitedFor: Wait? = nil
    ) {
        self.directory = directory
        self.socketName = socketName
        self.maximumAnswer = maximumAnswer
        self.isWaitedFor = isWaitedFor
    }

    /// Sends a request; `body` is JSON.
    ///
    /// Before a byte is written the kernel is asked who is at the other end: a socket that somebody
    /// else planted gets nothing.
    ///
    /// Each part of it takes up to `timeout` seconds; zero is no limit but the interruption.
    package func send(
        _ method: String,
        _ target: String,
        headers: [(String, String)] = [],
        body: [UInt8] = [],
        timeout: Int32 = 120,
        interruption: Interruption? = nil
    ) throws(Failure) -> Answer {
        let socket = try connected(timeout: timeout, interruption)
        var received: [UInt8] = []
        var request = Self.request(method, target, headers, body)
        // There may be a secret in either body.
        defer {
            wipe(&request)
            wipe(&received)
        }
        do throws(SystemError) {
            try socket.setTimeout(seconds: timeout)
            try socket.write(request)
            if let isWaitedFor, !isWaitedFor(socket.number) { throw SystemError.interrupted }
            received = try socket.readToEnd(limit: maximumAnswer)
        } catch {
            throw .broken(error)
        }
        return try Self.parse(received)
    }

    /// The answer to a request, line by line as it comes.
    ///
    /// Each wait for the connection and for a line takes up to `timeout` seconds.
    package func lines(
        _ target: String,
        timeout: Int32,
        interruption: Interruption
    ) throws(Failure) -> AgentLines {
        let socket = try connected(timeout: timeout, interruption)
        do {
            try socket.setTimeout(seconds: timeout)
            try socket.write(Self.request("GET", target, [], []))
        } catch {
            throw .broken(error)
        }
        return AgentLines(socket)
    }

    private func connected(
        timeout: Int32,
        _ interruption: Interruption?
    ) throws(Failure) -> ConnectedSocket {
        let socket: ConnectedSocket
        do {
            socket = try ConnectedSocket(
                directory: directory,
                name: socketName,
                timeout: timeout,
                interruption: interruption
            )
        } catch let error where error == .notFound || error == .connectionRefused {
            throw .notRunning
        } catch {
            throw .broken(error)
        }
        guard let peer = socket.peerUserID, peer == FileSystem.currentUser else {
            throw .foreignPeer(userID: socket.peerUserID)
        }
        return socket
    }

    private static func request(
        _ method: String,
        _ target: String,
        _ headers: [(String, String)],
        _ body: [UInt8]
    ) -> [UInt8] {
        var head = "\(method) \(target) HTTP/1.0\r\nHost: localhost\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if !body.isEmpty { head += "Content-Type: application/json\r\n" }
        head += "Content-Length: \(body.count)\r\n\r\n"
        var request: [UInt8] = []
        request.reserveCapacity(head.utf8.count + body.count)
        request += head.utf8
        request += body
        return request
    }

    static func parse(_ bytes: [UInt8]) throws(Failure) -> Answer {
        let separator = Array("\r\n\r\n".utf8)
        guard
            let end = bytes.indices.dropLast(3).first(where: { index in
                bytes[index..<index + 4].elementsEqual(separator)
            })
        else {
            throw Array("HTTP/1.".utf8).starts(with: bytes.prefix(7))
                ? .broken(nil) : .malformedAnswer
        }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            throw .malformedAnswer
        }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { throw .malformedAnswer }
            let value = line[line.index(after: colon)...]
            headers[line[..<colon].lowercased()] = String(value.drop { $0 == " " })
        }
        // A part of a token is one too: it is copied only for somebody who wipes the copy.
        let body = bytes[(end + 4)...]
        // A 204 has no body and no length (RFC 9110 §8.6).
        let length = headers["content-length"].flatMap { Int($0) } ?? (status == 204 ? 0 : nil)
        guard let length, length >= body.count else { throw .malformedAnswer }
        // The agent was killed in the middle of it.
        guard length == body.count else { throw .broken(nil) }
        return Answer(status: status, headers: headers, body: Array(body))
    }
}
