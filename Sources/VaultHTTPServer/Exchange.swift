internal import Platform

/// One request and its answer, on their way through the server's thread.
struct Exchange {
    enum Phase {
        /// Only the request line and the header have come.
        case header
        /// The body is being collected.
        case body
        /// The handler has the request; the connection is suspended.
        case handling(Task<Void, Never>)
        /// The handler is done.
        case answered(HTTPServerAnswer)
        /// The library has the response and writes it.
        case responding
        /// The library takes the response piece by piece.
        case streaming(StreamSource)
    }

    let number: UInt64
    let target: String
    var phase = Phase.header
    private(set) var body: [UInt8] = []
    /// Bytes of the body that were thrown away because the body is too large.
    private var excess = 0

    init(number: UInt64, target: String) {
        self.number = number
        self.target = target
    }

    var isTooLarge: Bool { excess > 0 }

    /// Whether `stop()` waits for it.
    var isHandled: Bool {
        switch phase {
        case .header, .body: false
        case .handling, .answered, .responding, .streaming: true
        }
    }

    /// Where its response comes from, if that is a stream.
    var source: StreamSource? {
        guard case .streaming(let source) = phase else { return nil }
        return source
    }

    /// Makes room for a body of this declared length, as far as that is no burden.
    mutating func reserve(_ declared: Int) {
        // Growing would leave copies of a secret behind.
        body.reserveCapacity(min(max(declared, 0), Self.smallExcess))
    }

    /// Takes a piece of the body; says no when the client should be cut off.
    ///
    /// Closing a socket with unread data resets it, which can destroy the 413 on its way. So a body
    /// somewhat too large is read to its end, and only one twice as large is not.
    mutating func append(_ piece: UnsafeRawBufferPointer, limit: Int) -> Bool {
        if !isTooLarge, body.count + piece.count <= limit {
            body.append(contentsOf: piece)
            return true
        }
        excess += piece.count
        Memory.wipe(&body)
        return excess <= max(limit, Self.smallExcess)
    }

    /// Gives the body away: whoever has it wipes it.
    mutating func takeBody() -> [UInt8] {
        defer { body = [] }
        return body
    }

    /// Whether a body of this declared length is not even read.
    static func isHopeless(declared: Int, limit: Int) -> Bool {
        declared > limit + max(limit, smallExcess)
    }

    private static let smallExcess = 64 << 10
}
