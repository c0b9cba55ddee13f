public import OAuth

extension AccessTokenSource {
    /// Runs a request with an access token, and once more with a newer one if the token is rejected.
    ///
    /// It works with any HTTP client: `request` sends what it likes with the token it is given, and
    /// says whether the resource server took it. When it did not, the token is replaced, by one refresh
    /// however many are rejected together, or by none where somebody replaced it already, and
    /// `request` runs a second time. What comes then is the result, a rejection included: nothing is
    /// sent a third time.
    ///
    /// Without a token nothing is sent. A rejection after which no newer token can be had is thrown as
    /// the ``VaultError`` that says why, so that a flaky network is not taken for a dead grant.
    /// Where tokens are rejected as soon as they are new, the rejection is the result and nothing is
    /// refreshed for a while: see ``RejectionLimit``.
    ///
    /// - Parameters:
    ///   - account: The account's name.
    ///   - scope: What the token may be used for; all that was granted unless told.
    ///   - resource: The URI of the resource server it is for (RFC 8707).
    ///   - minimumLifetime: Seconds that the token has to be valid for.
    ///   - deadline: Seconds to wait for a token at most, each of the two times.
    ///   - request: Sends the request; called once or twice.
    /// - Returns: What `request` returned last.
    /// - Throws: ``VaultError`` when there is no token; what `request` throws; `CancellationError`.
    public func authorized<Response>(
        as account: AccountName,
        scope: Scope? = nil,
        resource: String? = nil,
        minimumLifetime: Double? = nil,
        deadline: Double = 60,
        _ request: (AccessToken) async throws -> AuthorizedAttempt<Response>
    ) async throws -> Response {
        let wish = TokenWish(
            account: account,
            scope: scope,
            resource: resource,
            minimumLifetime: minimumLifetime,
            deadline: deadline
        )
        return try await authorized(wish, at: nil) { token in
            AuthorizedOutcome(
                attempt: try await request(token),
                isProof: true,
                policy: .refreshAndRetryOnce
            )
        }
    }
}
