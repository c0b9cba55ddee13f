public import OAuth

/// A transport for a test in which nothing is sent: using it ends the process.
public struct UnreachableTransport: HTTPTransport {
    /// A transport that nobody may use.
    public init() {}

    /// Ends the process.
    ///
    /// - Throws: Never.
    public func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        preconditionFailure("nothing was to be sent, least of all to \(request.url.host)")
    }
}
