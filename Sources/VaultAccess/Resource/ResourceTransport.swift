/// Sends requests to resource servers, and hands out their answers while they arrive.
///
/// A request goes out **at most once**: no redirect is followed, nothing is sent again, and no
/// credential of the environment (`.netrc`, proxies, cookies) is used. A GET or HEAD without a body
/// is the one exception: a transport may repeat it when a kept connection dies under it before a
/// byte of an answer (RFC 9110 §9.2.2).
public protocol ResourceTransport: Sendable {
    /// Sends a request and returns as soon as the header of its answer is complete, whatever the status.
    ///
    /// - Throws: `HTTPTransportError`; `CancellationError` when the task was cancelled, which ends the
    ///   exchange at once; whatever the pieces of the request's body throw.
    func send(_ request: ResourceRequest) async throws -> ResourceResponse
}
