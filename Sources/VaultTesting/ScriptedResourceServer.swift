internal import OAuth
public import VaultAccess
public import VaultCrypto

/// A resource server that answers from a closure and remembers what it was sent.
public final class ScriptedResourceServer: ResourceTransport {
    private let state = Watched<[ResourceRequest]>([])
    private let handler: @Sendable (ResourceRequest) async throws -> ResourceResponse

    /// A resource server that asks a closure for each answer.
    public init(
        handler: @escaping @Sendable (ResourceRequest) async throws -> ResourceResponse
    ) {
        self.handler = handler
    }

    /// A resource server that takes one access token after the other, and answers 401 to the rest.
    ///
    /// - Parameter accepts: Whether it takes a token; asked for each request.
    public convenience init(accepting accepts: @escaping @Sendable (Secret) -> Bool) {
        self.init { request in
            guard let token = request.bearerToken else { return .unauthorized(nil) }
            return accepts(token) ? ResourceResponse(status: 200) : .unauthorized("invalid_token")
        }
    }

    /// The requests so far.
    public var requests: [ResourceRequest] { state.value }

    /// The number of requests so far.
    public var requestCount: Int { state.value.count }

    /// Waits until so many requests have come in.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func waitForRequests(_ count: Int) async throws {
        try await state.wait { $0.count >= count }
    }

    /// Answers the next request.
    ///
    /// - Throws: What the closure throws.
    public func send(_ request: ResourceRequest) async throws -> ResourceResponse {
        state.update { $0.append(request) }
        return try await handler(request)
    }
}

extension ResourceRequest {
    /// The bearer token it carries (RFC 6750 §2.1); nil when there is none.
    public var bearerToken: Secret? {
        let field = headers.first { $0.name.lowercased() == "authorization" }?.value
        return field?.reveal { text in
            text.hasPrefix("Bearer ") ? Secret(String(text.dropFirst(7))) : nil
        }
    }
}

extension ResourceResponse {
    /// A rejection of the token (RFC 6750 §3).
    ///
    /// - Parameters:
    ///   - error: `invalid_token`, `insufficient_scope` or another; nil to name none.
    ///   - status: Its status code.
    /// - Returns: The answer.
    public static func unauthorized(_ error: String?, status: Int = 401) -> ResourceResponse {
        let challenge = error.map { #"Bearer realm="test", error="\#($0)""# } ?? "Bearer"
        return ResourceResponse(
            status: status,
            headers: [(name: "WWW-Authenticate", value: challenge)],
            body: ResponseBody(Array("rejected".utf8))
        )
    }
}
