/// Sends requests to resource servers, and hands out their answers while they arrive.
///
/// A request goes out **at most once**: no redirect is followed, nothing is sent again, and no
/// credential of the environment (`.netrc`, proxies, cookies) is used.
public protocol ResourceTransport: Sendable {
    /// Sends a request and returns as soon as the header of its answer is complete, whatever the status.
    ///
    /// - Throws: `HTTPTransportError`; `CancellationError` when the task was cancelled, which ends the
    ///   exchange at once.
    func send(_ request: ResourceRequest) async throws -> ResourceResponse
}
