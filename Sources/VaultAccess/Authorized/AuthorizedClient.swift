public import OAuth

/// Sends requests to a resource server as an account: valid tokens, renewed when one is rejected.
///
/// - Each request carries a token that is valid now. Without one it is not sent.
/// - A rejected token is replaced once and the request sent once more, by generation: rejections that
///   come late, of a token that was replaced meanwhile, refresh nothing.
/// - `insufficient_scope` is the answer as it is: no other token of the grant has more.
/// - The token goes only to the origins that were named, and never across a redirect: an answer of
///   3xx is returned, and not followed.
/// - The last 401 is returned, with its header and body.
public struct AuthorizedClient: Sendable {
    private let source: any AccessTokenSource
    private let account: AccountName
    private let origins: Set<Origin>
    private let transport: any ResourceTransport
    private let scope: Scope?
    private let resource: String?

    /// A client of one account.
    ///
    /// - Parameters:
    ///   - source: An open vault, or an agent that is asked.
    ///   - account: The account's name.
    ///   - origins: Where its token may be sent to.
    ///   - transport: How resource servers are reached.
    ///   - scope: What the token may be used for; all that was granted unless told.
    ///   - resource: The URI of the resource server it is for (RFC 8707).
    public init(
        _ source: any AccessTokenSource,
        account: AccountName,
        origins: Set<Origin>,
        transport: any ResourceTransport,
        scope: Scope? = nil,
        resource: String? = nil
    ) {
        self.source = source
        self.account = account
        self.origins = origins
        self.transport = transport
        self.scope = scope
        self.resource = resource
    }

    /// Sends a request and returns as soon as the header of its answer is complete.
    ///
    /// The request's deadline bounds each part of it: waiting for a token, and the exchange.
    ///
    /// - Returns: The answer, whatever its status.
    /// - Throws: ``VaultError``: `invalid_input` for a request that may not carry the token, and
    ///   whatever keeps a token from being had; `HTTPTransportError` when the exchange broke off, which
    ///   says whether the server may have read the request; what the body's source throws;
    ///   `CancellationError`.
    public func send(_ request: ResourceRequest) async throws -> ResourceResponse {
        guard request.isAuthorized else { return try await transport.send(request) }
        try check(request)
        let wish = TokenWish(
            account: account,
            scope: scope,
            resource: resource,
            deadline: request.deadline
        )
        return try await source.authorized(wish, at: Origin(request.url)) { token in
            let response = try await transport.send(request.carrying(token))
            let attempt = AuthorizedAttempt(
                response,
                status: response.status,
                challenges: response.values(of: "WWW-Authenticate")
            )
            // What a gateway answers in front of the resource server says nothing of the token.
            let isProof = response.status < 400 || response.status == 403
            return AuthorizedOutcome(attempt: attempt, isProof: isProof, policy: request.policy)
        }
    }

    private func check(_ request: ResourceRequest) throws(VaultError) {
        guard origins.contains(Origin(request.url)) else {
            throw VaultError(
                .invalidInput,
                account: account,
                facts: [
                    .field: "url", .reason: "origin_not_allowed", .found: request.url.origin,
                    .wanted: origins.map(\.text).sorted().joined(separator: ", "),
                ]
            )
        }
        let taken = request.headers.first { header in
            Self.reservedFields.contains(header.name.lowercased())
        }
        if let taken {
            throw VaultError(
                .invalidInput,
                account: account,
                facts: [.field: taken.name.lowercased(), .reason: "field_of_the_client"]
            )
        }
    }

    /// Fields that would send another credential, or send this one to another server than was checked.
    private static let reservedFields: Set = ["authorization", "proxy-authorization", "host"]
}

extension ResourceRequest {
    /// A body that can be read once is not sent again.
    fileprivate var policy: UnauthorizedPolicy {
        whenUnauthorized == .refreshAndRetryOnce && !body.isReplayable
            ? .refreshOnly : whenUnauthorized
    }

    /// The request with its token in front (RFC 6750 §2.1).
    fileprivate func carrying(_ token: AccessToken) throws(VaultError) -> ResourceRequest {
        var request = self
        request.headers.insert(try token.authorization, at: 0)
        return request
    }
}
