import Glibc
import Platform

/// One connection of a `SocketServer`; every wait ends after some seconds.
final class ServedConnection: Sendable {
    /// The other side has ended the connection.
    struct Ended: Error {}
    /// The other side has done nothing for too long.
    struct Stalled: Error {}

    let number: Int
    private let descriptor: Int32
    private let state = Locked<(unread: [UInt8], isOpen: Bool)>(([], true))

    private static let patience: Int32 = 10_000

    init(_ descriptor: Int32, number: Int) {
        self.descriptor = descriptor
        self.number = number
    }

    func close() {
        state.withLock { state in
            if state.isOpen { Descriptor.close(descriptor) }
            state.isOpen = false
        }
    }

    /// Ends it for both sides, whatever its thread is at.
    func shutDown() {
        state.withLock { state in
            if state.isOpen { Socket.shutDown(descriptor) }
        }
    }

    /// Says that nothing more will come, and still reads.
    func endWriting() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Waits for what the test does.
    func wait(until isTrue: () -> Bool) throws {
        for _ in 0..<Self.patience {
            if isTrue() { return }
            Pause.milliseconds(1)
        }
        throw Stalled()
    }

    // MARK: - Reading

    /// The next request's line and fields.
    func readHead() throws -> String {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
            head += try read(upTo: 1)
        }
        return String(decoding: head, as: UTF8.self)
    }

    /// So many bytes of a body.
    func readBytes(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += try read(upTo: count - bytes.count) }
        return bytes
    }

    /// The next chunk of a body, an empty one at its end (RFC 9112 §7.1).
    func readChunk() throws -> [UInt8] {
        let size = try readLine()
        guard let count = Int(size, radix: 16) else { throw Ended() }
        let chunk = try readBytes(count)
        _ = try readLine()
        return chunk
    }

    private func readLine() throws -> String {
        var line: [UInt8] = []
        while !line.suffix(2).elementsEqual([13, 10]) { line += try read(upTo: 1) }
        return String(decoding: line.dropLast(2), as: UTF8.self)
    }

    /// Reads whatever comes until the other side has ended the connection.
    func waitForEnd() throws {
        while true { _ = try read(upTo: 64 << 10) }
    }

    private func read(upTo limit: Int) throws -> [UInt8] {
        let kept = state.withLock { state in
            let piece = Array(state.unread.prefix(limit))
            state.unread.removeFirst(piece.count)
            return piece
        }
        guard kept.isEmpty else { return kept }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        guard Descriptor.waitReadable([descriptor], milliseconds: Self.patience) == [true] else {
            throw Stalled()
        }
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { throw Ended() }
        state.withLock { $0.unread = Array(bytes[min(limit, count)..<count]) }
        return Array(bytes[..<min(limit, count)])
    }

    // MARK: - Writing

    func write(_ text: String) throws {
        try write(Array(text.utf8))
    }

    func write(_ bytes: [UInt8]) throws {
        guard writeUntilHeld(bytes, for: Self.patience) == bytes.count else { throw Ended() }
    }

    /// Writes from the bytes what the connection takes, until it has taken none for a while.
    func writeUntilHeld(_ bytes: [UInt8], for milliseconds: Int32 = 50) -> Int {
        var sent = 0
        while sent < bytes.count {
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&entry, 1, milliseconds) > 0 else { return sent }
            let count = bytes[sent...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, min($0.count, 64 << 10), Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return sent }
            sent += count
        }
        return sent
    }
}
