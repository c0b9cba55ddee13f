internal import CCurl
internal import VaultCrypto

/// A POST's body, handed out once.
struct Upload {
    private let body: Secret
    private var position = 0

    init(_ body: Secret?) {
        self.body = body ?? Secret("")
    }

    var count: Int { body.count }
    var isEmpty: Bool { body.isEmpty }
    /// Whether a byte has left, so that the server may have read it.
    var isStarted: Bool { position > 0 }

    /// Copies the next bytes and returns their number.
    ///
    /// libcurl knows the length and asks no more after the last byte. If it does, it has begun anew
    /// on another connection and would leave the server waiting: that stops the transfer.
    mutating func read(into space: UnsafeMutableRawBufferPointer) -> Int {
        guard position < body.count else { return Int(CURL_READFUNC_ABORT) }
        let count = min(space.count, body.count - position)
        body.withBytes { bytes in
            bytes.withUnsafeBytes {
                space.copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: $0[position..<position + count])
                )
            }
        }
        position += count
        return count
    }
}
