internal import Glibc

/// A line as it is typed or pasted, in as many pieces as it comes in.
package final class TypedLine: Sendable {
    /// Of a longer line the rest is thrown away.
    private let limit: Int
    private let bytes = Locked<[UInt8]>([])

    package init(limit: Int) {
        self.limit = limit
        bytes.withLock { $0.reserveCapacity(limit) }
    }

    deinit {
        bytes.withLock { Memory.wipe(&$0) }
    }

    /// Takes what can be read from a descriptor now.
    ///
    /// - Returns: The line once it is whole, by a line end or by the end of what there is to read; the
    ///   caller wipes it.
    package func read(from descriptor: Int32) -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 4096)
        defer { Memory.wipe(&chunk) }
        let count = Glibc.read(descriptor, &chunk, chunk.count)
        guard count > 0 else {
            return count < 0 && (errno == EINTR || errno == EAGAIN) ? nil : whole()
        }
        return take(chunk[..<count])
    }

    /// Takes bytes; what is behind the end of the line is thrown away.
    func take(_ typed: ArraySlice<UInt8>) -> [UInt8]? {
        for byte in typed where isEnd(byte) { return whole() }
        return nil
    }

    private func isEnd(_ byte: UInt8) -> Bool {
        bytes.withLock { bytes in
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return true
            // End of transmission, which is Ctrl-D where nothing was typed.
            case 0x04: return bytes.isEmpty
            // Backspace and delete; the whole line by Ctrl-U (termios(3), VERASE and VKILL).
            case 0x08, 0x7f: if !bytes.isEmpty { bytes.removeLast() }
            case 0x15: bytes.removeAll(keepingCapacity: true)
            default: if bytes.count < limit { bytes.append(byte) }
            }
            return false
        }
    }

    private func whole() -> [UInt8] {
        bytes.withLock { bytes in
            let line = bytes
            bytes = []
            // One allocation: growing would leave copies of a secret behind.
            bytes.reserveCapacity(limit)
            return line
        }
    }
}
