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
    /// - Returns: The answer, whatever its status.
    /// - Throws: ``VaultError``: `invalid_input` for a request that may not carry the token, and
    ///   whatever keeps a token from being had; `HTTPTransportError` when the exchange broke off, which
    ///   says whether the server may have read the request; what the body's source throws;
    ///   `CancellationError`.
    public func send(_ request: ResourceRequest) async throws -> ResourceResponse {
        guard request.isAuthorized else { return try await transport.send(request) }
        try check(request)
        return try await source.authorized(as: account, scope: scope, resource: resource) { token in
            let response = try await transport.send(request.carrying(token))
            let attempt = AuthorizedAttempt(
                response,
                status: response.status,
                challenges: response.values(of: "WWW-Authenticate")
            )
            guard attempt.isUnauthorized else { return attempt }
            return try await afterRejection(attempt, of: token, request)
        }
    }

    /// What the request has to say of its own after a rejection; a finished one is not sent again.
    private func afterRejection(
        _ attempt: AuthorizedAttempt<ResourceResponse>,
        of token: AccessToken,
        _ request: ResourceRequest
    ) async throws -> AuthorizedAttempt<ResourceResponse> {
        switch request.whenUnauthorized {
        case .refreshAndRetryOnce where request.body.isReplayable: return attempt
        case .refreshAndRetryOnce, .refreshOnly:
            try await renew(token)
            return .finished(try attempt.get())
        case .passThrough: return .finished(try attempt.get())
        }
    }

    /// Replaces a rejected token for the requests to come.
    private func renew(_ token: AccessToken) async throws {
        guard source.rejections.admits(token.generation, of: account) else { return }
        do {
            _ = try await source.accessToken(
                for: account,
                scope: scope,
                resource: resource,
                minimumLifetime: nil,
                newerThan: token.generation,
                deadline: 60
            )
        } catch is VaultError {
            // The next request meets it; the answer to this one is here.
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
        guard !request.headers.contains(where: { $0.name.lowercased() == "authorization" }) else {
            throw VaultError(.invalidInput, account: account, facts: [.field: "authorization"])
        }
    }
}

extension ResourceRequest {
    /// The request with its token in front (RFC 6750 §2.1).
    fileprivate func carrying(_ token: AccessToken) throws(VaultError) -> ResourceRequest {
        var request = self
        request.headers.insert(try token.authorization, at: 0)
        return request
    }
}
