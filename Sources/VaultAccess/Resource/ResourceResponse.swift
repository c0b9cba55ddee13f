internal import OAuth

/// What a resource server answered: its header at once, its body while it arrives.
public struct ResourceResponse: Sendable {
    /// The status code.
    public let status: Int
    /// Header fields in the order received, names as sent.
    public let headers: [(name: String, value: String)]
    /// The body, to be read once.
    public let body: ResponseBody

    /// An answer put together from its parts.
    public init(
        status: Int,
        headers: [(name: String, value: String)] = [],
        body: ResponseBody = ResponseBody()
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first value of a header field, its name compared without case.
    public func header(_ name: String) -> String? {
        values(of: name).first
    }

    /// Every value of a header field, its name compared without case.
    public func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}

/// The body of an answer: pieces in the order they arrive.
///
/// Whoever reads slowly slows the server down; letting go of a body that was not read to its end
/// ends the exchange.
public struct ResponseBody: AsyncSequence, Sendable {
    /// Where the pieces come from.
    public protocol Source: AnyObject, Sendable {
        /// The next piece, never an empty one; nil at the end.
        ///
        /// - Throws: `HTTPTransportError` when the body breaks off; `CancellationError`.
        func next() async throws -> [UInt8]?
    }

    private let source: any Source

    /// A body that comes from somewhere; it ends when its last copy goes.
    public init(_ source: any Source) {
        self.source = source
    }

    /// A body that is there already.
    public init(_ bytes: [UInt8] = []) {
        self.init(BytesSource(bytes))
    }

    /// All that is left of the body.
    ///
    /// - Parameter limit: Bytes that it may have at most.
    /// - Returns: Its bytes.
    /// - Throws: `HTTPTransportError`: `answer_too_large` beyond the limit, and what made the body
    ///   break off; `CancellationError`.
    public func collect(upTo limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await piece in self {
            guard piece.count <= limit - bytes.count else {
                throw HTTPTransportError.ambiguous(.answerTooLarge)
            }
            bytes += piece
        }
        return bytes
    }

    /// Reads the body from where it is.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: source)
    }

    /// Reads pieces one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let source: any Source

        /// The next piece; nil at the end.
        public mutating func next() async throws -> [UInt8]? {
            try await source.next()
        }
    }
}
