internal import Platform

/// An answer that is read a line at a time, for as long as it lasts, by blocking calls.
package final class AgentLines: Sendable {
    /// Bytes: no line of the agent is longer.
    private static let longestLine = 64 << 10
    private static let chunk = 16 << 10

    private let socket: ConnectedSocket
    private let state = Locked(State())

    private struct State {
        var unread: [UInt8] = []
    }

    init(_ socket: consuming ConnectedSocket) {
        self.socket = socket
    }

    /// The status of the answer.
    ///
    /// - Throws: ``AgentConnection/Failure``.
    package func status() throws(AgentConnection.Failure) -> Int {
        var line = try next()
        guard let words = line?.split(separator: " "), words.count >= 2,
            words[0].hasPrefix("HTTP/1."), let status = Int(words[1])
        else { throw line == nil ? .broken(nil) : .malformedAnswer }
        repeat { line = try next() } while line?.isEmpty == false
        guard line != nil else { throw .broken(nil) }
        return status
    }

    /// The next line without its end; nil at the end of the answer.
    package func next() throws(AgentConnection.Failure) -> String? {
        while true {
            if let line = buffered() { return line }
            let bytes: [UInt8]
            do {
                bytes = try socket.readSome(limit: Self.chunk)
            } catch {
                throw .broken(error)
            }
            let count = state.withLock { state in
                state.unread += bytes
                return state.unread.count
            }
            guard count <= Self.longestLine else { throw .malformedAnswer }
            // Half a line is none.
            if bytes.isEmpty { return nil }
        }
    }

    /// Everything up to the end of the answer.
    func rest() throws(AgentConnection.Failure) -> String {
        var text = ""
        while let line = try next() { text += line }
        return text + state.withLock { String(decoding: $0.unread, as: UTF8.self) }
    }

    /// A line that has been read already.
    package func buffered() -> String? {
        state.withLock { state in
            guard let end = state.unread.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            defer { state.unread.removeFirst(end + 1) }
            let line = String(decoding: state.unread[..<end], as: UTF8.self)
            return line.hasSuffix("\r") ? String(line.dropLast()) : line
        }
    }
}
