/// What a handler gives back.
package enum HTTPServerAnswer: Sendable {
    case response(HTTPServerResponse)
    case stream(HTTPServerStream)
    /// Exactly these bytes, then the connection is closed. For test servers.
    case raw([UInt8])
    /// The connection is closed without a byte. For test servers.
    case drop
}

/// A response.
///
/// Content-Length, Transfer-Encoding and Connection are the server's business: they are left out
/// when they are among the headers.
package struct HTTPServerResponse: Sendable {
    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(
        status: Int,
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = []
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package init(
        status: Int,
        headers: [(name: String, value: String)] = [],
        text: String
    ) {
        self.init(status: status, headers: headers, body: Array(text.utf8))
    }
}
