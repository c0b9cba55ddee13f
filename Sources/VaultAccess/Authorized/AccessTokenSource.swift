public import OAuth

/// Whoever hands out access tokens: an open vault, or an agent that is asked.
public protocol AccessTokenSource: Sendable {
    /// An access token that is valid now, refreshed first if need be.
    ///
    /// - Parameters:
    ///   - account: The account's name.
    ///   - scope: What the token may be used for; all that was granted unless told.
    ///   - resource: The URI of the resource server it is for (RFC 8707).
    ///   - minimumLifetime: Seconds that the token has to be valid for.
    ///   - newerThan: A generation that a resource server has rejected.
    ///   - deadline: Seconds to wait at most. The refresh itself goes on.
    /// - Returns: The token.
    /// - Throws: ``VaultError``; `CancellationError` when the task is cancelled.
    func accessToken(
        for account: AccountName,
        scope: Scope?,
        resource: String?,
        minimumLifetime: Double?,
        newerThan: UInt64?,
        deadline: Double
    ) async throws -> AccessToken

    /// Which rejected tokens were replaced lately; one for the whole life of the source.
    var rejections: RejectionLimit { get }
}
