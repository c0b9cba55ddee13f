/// A response whose body comes piece by piece, for as long as there is any.
///
/// The next piece is asked for once the client has taken most of the one before: a client that reads
/// slowly holds up nobody but itself, and no more than one piece waits for it. Over HTTP/1.1 the
/// pieces are chunks; over HTTP/1.0 the body ends with the connection.
package struct HTTPServerStream: Sendable {
    package let status: Int
    package let headers: [(name: String, value: String)]
    /// The next piece; nil at the end.
    ///
    /// Its task is cancelled when the client is gone and when the server stops. What it gives back
    /// then is the last piece, which a client that is still there gets.
    package let next: @Sendable () async -> [UInt8]?

    package init(
        status: Int = 200,
        headers: [(name: String, value: String)],
        next: @escaping @Sendable () async -> [UInt8]?
    ) {
        self.status = status
        self.headers = headers
        self.next = next
    }
}
