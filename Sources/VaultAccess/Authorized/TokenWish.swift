internal import OAuth

/// The token that some requests are to carry.
struct TokenWish: Sendable {
    var account: AccountName
    var scope: Scope?
    var resource: String?
    var minimumLifetime: Double?
    /// Seconds to wait for it at most, each time.
    var deadline: Double

    func token(
        from source: any AccessTokenSource,
        newerThan generation: UInt64? = nil
    ) async throws -> AccessToken {
        try await source.accessToken(
            for: account,
            scope: scope,
            resource: resource,
            minimumLifetime: minimumLifetime,
            newerThan: generation,
            deadline: deadline
        )
    }

    func place(at origin: Origin?) -> TokenPlace {
        TokenPlace(account: account, scope: scope, resource: resource, origin: origin)
    }
}
