internal import OAuth

/// What came of a request, and what is to follow.
struct AuthorizedOutcome<Response> {
    var attempt: AuthorizedAttempt<Response>
    /// Whether the answer shows that the resource server takes the token.
    var isProof: Bool
    /// What a rejection leads to.
    var policy: UnauthorizedPolicy
}

extension AccessTokenSource {
    /// Sends a request with a token, and once more with a newer one if it is rejected.
    func authorized<Response>(
        _ wish: TokenWish,
        at origin: Origin?,
        _ request: (AccessToken) async throws -> AuthorizedOutcome<Response>
    ) async throws -> Response {
        let place = wish.place(at: origin)
        let used = try await wish.token(from: self)
        let newer: AccessToken
        do {
            let first = try await request(used)
            note(first, of: used, at: place)
            guard first.attempt.isUnauthorized, first.policy != .passThrough,
                rejections.admits(used.generation, at: place)
            else { return try first.attempt.get() }
            guard first.policy == .refreshAndRetryOnce else {
                try await replace(used, wish)
                return try first.attempt.get()
            }
            newer = try await wish.token(from: self, newerThan: used.generation)
            // The newest there is: it came so lately that the resource server may not know it yet.
            guard newer.generation != used.generation else { return try first.attempt.get() }
            // What is left of the first answer goes here, and its connection with it.
        }
        let second = try await request(newer)
        note(second, of: newer, at: place)
        return try second.attempt.get()
    }

    private func note<Response>(
        _ outcome: AuthorizedOutcome<Response>,
        of token: AccessToken,
        at place: TokenPlace
    ) {
        if outcome.attempt.isUnauthorized {
            rejections.rejected(token.generation, at: place)
        } else if outcome.isProof {
            rejections.accepted(token.generation, at: place)
        }
    }

    /// Replaces a rejected token for the requests to come.
    private func replace(_ token: AccessToken, _ wish: TokenWish) async throws {
        do {
            _ = try await wish.token(from: self, newerThan: token.generation)
        } catch is VaultError {
            // The next request meets what keeps it; the answer to this one is here.
        }
    }
}
