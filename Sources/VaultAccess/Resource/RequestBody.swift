/// The body of a request to a resource server.
public struct RequestBody: Sendable {
    /// Pieces of a body in their order.
    public typealias Pieces = any AsyncSequence<[UInt8], any Error> & Sendable

    package enum Content: Sendable {
        case none
        case bytes([UInt8])
        case pieces(length: Int?, @Sendable () throws -> Pieces)
    }

    package let content: Content

    /// Its bytes, 0 where there is none; nil when nobody knows.
    public var length: Int? {
        switch content {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .pieces(let length, _): length
        }
    }

    /// The pieces to send, made anew; nil where there is no body.
    ///
    /// Of a body that can be read once they are to be made once.
    ///
    /// - Throws: What keeps the pieces from being made.
    public func makePieces() throws -> Pieces? {
        switch content {
        case .none: nil
        case .bytes(let bytes):
            AsyncThrowingStream { pieces in
                pieces.yield(bytes)
                pieces.finish()
            }
        case .pieces(_, let make): try make()
        }
    }

    /// Whether it can be sent a second time.
    public let isReplayable: Bool

    /// No body.
    public static let none = RequestBody(content: .none, isReplayable: true)

    /// Bytes in memory.
    public static func bytes(_ bytes: [UInt8]) -> RequestBody {
        RequestBody(content: .bytes(bytes), isReplayable: true)
    }

    /// The UTF-8 of a text.
    public static func text(_ text: String) -> RequestBody {
        .bytes(Array(text.utf8))
    }

    /// A body that is made anew for each sending, such as a file that is opened again.
    ///
    /// - Parameters:
    ///   - length: Its bytes, where known; without it the body is sent in chunks (RFC 9112 §7.1).
    ///   - make: Makes the pieces; called for each sending.
    /// - Returns: The body.
    public static func replayable(
        length: Int? = nil,
        _ make: @escaping @Sendable () throws -> Pieces
    ) -> RequestBody {
        RequestBody(content: .pieces(length: length, make), isReplayable: true)
    }

    /// A body that can be read only once: no rejected token has it sent again.
    ///
    /// - Parameters:
    ///   - length: Its bytes, where known; without it the body is sent in chunks (RFC 9112 §7.1).
    ///   - pieces: The pieces.
    /// - Returns: The body.
    public static func oneShot(length: Int? = nil, _ pieces: Pieces) -> RequestBody {
        RequestBody(content: .pieces(length: length) { pieces }, isReplayable: false)
    }
}
