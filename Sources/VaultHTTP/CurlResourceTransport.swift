internal import OAuth
public import VaultAccess

extension CurlTransport: ResourceTransport {
    /// Sends a request and returns as soon as the header of its answer is complete.
    ///
    /// The body arrives while it is read: what nobody reads is not fetched beyond some 256 KiB. It
    /// comes as it is on the wire, never decompressed. Letting go of it, or cancelling the task that
    /// sends or reads, ends the exchange at once and closes its connection. An answer other than 2xx
    /// that comes before all of the request's body was sent ends the sending, and so does the end of
    /// a 2xx that says its length.
    ///
    /// Nothing is sent a second time, with one exception: a GET or HEAD that meets a kept connection
    /// the server has just closed (RFC 9110 §9.2.2). Content-Length and Transfer-Encoding are the
    /// transport's business: a request that has them among its fields is refused.
    ///
    /// - Throws: `HTTPTransportError`, which says whether the server may have read the request, and
    ///   is `refused` for a body that is not as long as declared; `CancellationError`; whatever the
    ///   pieces of the request's body throw.
    public func send(_ request: ResourceRequest) async throws -> ResourceResponse {
        guard request.isSendable, let mailbox = runningMailbox() else {
            throw HTTPTransportError.notSent(.refused)
        }
        try Task.checkCancellation()
        let exchange = ResourceExchange(request, mailbox)
        let head = try await exchange.send(request.body)
        return ResourceResponse(
            status: head.status,
            headers: head.headers,
            body: ResponseBody(StreamedBody(exchange, from: self))
        )
    }
}

/// The body of an answer while it arrives; letting go of it ends the exchange.
private final class StreamedBody: ResponseBody.Source {
    private let exchange: ResourceExchange
    /// A transport that nobody holds ends what is on its way.
    private let transport: CurlTransport

    init(_ exchange: ResourceExchange, from transport: CurlTransport) {
        self.exchange = exchange
        self.transport = transport
    }

    deinit {
        exchange.cancel()
    }

    func next() async throws -> [UInt8]? {
        try await exchange.next()
    }
}
