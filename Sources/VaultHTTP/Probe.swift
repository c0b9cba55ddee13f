internal import CCurl
internal import OAuth

/// A connection that is opened to see whether it can be, and closed again.
final class Probe: CurlTransfer {
    /// Seconds that it may take.
    private static let deadline = 5.0

    private let continuation: CheckedContinuation<Bool, Never>

    init?(
        _ url: EndpointURL,
        _ route: CurlRoute,
        settings: CurlSettings,
        then continuation: CheckedContinuation<Bool, Never>
    ) {
        self.continuation = continuation
        super.init(headers: [], route: route)
        let failure =
            configure(url, deadline: Self.deadline, settings: settings)
            ?? handle.set(CURLOPT_TIMEOUT_MS, milliseconds: Self.deadline)
            // Name, connection and TLS, and no request (CURLOPT_CONNECT_ONLY(3)).
            ?? handle.set(CURLOPT_CONNECT_ONLY, 1)
            ?? handle.set(CURLOPT_FRESH_CONNECT, 1)
            ?? handle.set(CURLOPT_FORBID_REUSE, 1)
        guard failure == nil else { return nil }
    }

    override func finish(_ code: CURLcode) {
        continuation.resume(returning: code == CURLE_OK)
    }
}
