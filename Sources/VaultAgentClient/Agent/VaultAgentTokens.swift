public import OAuth
public import VaultAccess

extension VaultAgent {
    /// An access token that is valid now.
    ///
    /// The agent hands out what it has while it is good enough; otherwise it refreshes first, once for
    /// however many programs ask. When refreshing fails for the moment, a call without
    /// `minimumLifetime` still gets a token with at least 5 seconds left, with a
    /// ``AccessToken/Warning``.
    ///
    /// - Parameters:
    ///   - account: The account's name.
    ///   - scope: What the token may be used for, a part of what was granted at sign-in (RFC 6749
    ///     §6); all of it unless told. Where the server grants less the call fails with
    ///     `scope_missing`.
    ///   - resource: The URI of the resource server it is for (RFC 8707).
    ///   - minimumLifetime: Seconds that the token has to be valid for. Unless told, 60 or a quarter
    ///     of its whole life, whichever is less; a negative number is zero.
    ///   - newerThan: A generation that a resource server has rejected: the stored token is passed over
    ///     only if it is of that very generation. A token that came within the last 5 seconds is handed
    ///     out again: it is the newest there is.
    ///   - deadline: Seconds to wait at most for a refresh, which itself goes on. An agent that does not
    ///     answer is given up a second later. Zero or a negative number waits for nothing, and more
    ///     than a day, infinity too, is a day.
    /// - Returns: The token; its expiry in whole seconds, and never later than it is.
    /// - Throws: ``VaultError``: those of an open vault, `locked` while the agent has no keys,
    ///   `no_agent`, `no_vault`, `busy` for an agent that does not answer in time, `storage` for an
    ///   answer that makes no sense, `unsafe_permissions` for an agent of another user,
    ///   `invalid_input` for times that are not numbers; `CancellationError` when the task is
    ///   cancelled, at once.
    public func accessToken(
        for account: AccountName,
        scope: Scope? = nil,
        resource: String? = nil,
        minimumLifetime: Double? = nil,
        newerThan: UInt64? = nil,
        deadline: Double = 60
    ) async throws -> AccessToken {
        guard minimumLifetime?.isNaN != true else {
            throw VaultError(.invalidInput, account: account, facts: [.field: "minimum_lifetime"])
        }
        guard !deadline.isNaN else {
            throw VaultError(.invalidInput, account: account, facts: [.field: "deadline"])
        }
        var request = AgentRequest("GET", "/v1/accounts/\(account)/token", about: account)
        request.deadline = deadline
        if let scope {
            // Two names on the way, and one that cannot be asked for here (RFC 6749 §3.3).
            guard Scope(parsing: scope.text) == scope else {
                throw VaultError(.invalidInput, account: account, facts: [.field: "scope"])
            }
            request.fields.append(("scope", scope.text))
        }
        if let resource { request.fields.append(("resource", resource)) }
        if let minimumLifetime {
            let seconds = min(max(minimumLifetime, 0), Self.longestLifetime)
            request.fields.append(("min-valid", "\(seconds)"))
        }
        if let newerThan { request.fields.append(("newer-than", "\(newerThan)")) }
        return try await token(request, of: account)
    }

    /// Refreshes an account's token now, whatever is left of the old one's life.
    ///
    /// - Parameters:
    ///   - account: The account's name.
    ///   - isForced: Whether it is sent although the grant is known to be refused, or its client is.
    ///     What the server asked to wait is waited in any case.
    ///   - deadline: Seconds to wait at most. The refresh itself goes on. Zero or a negative number
    ///     waits for nothing, and more than a day, infinity too, is a day.
    /// - Returns: The new token.
    /// - Throws: ``VaultError``: `invalid_input` for a deadline that is not a number;
    ///   `CancellationError` when the task is cancelled.
    @discardableResult
    public func refresh(
        _ account: AccountName,
        isForced: Bool = false,
        deadline: Double = 60
    ) async throws -> AccessToken {
        guard !deadline.isNaN else {
            throw VaultError(.invalidInput, account: account, facts: [.field: "deadline"])
        }
        var request = AgentRequest("POST", "/v1/accounts/\(account)/refresh", about: account)
        request.deadline = deadline
        request.fields = [("answer", "token")]
        if isForced { request.fields.append(("force", "true")) }
        return try await token(request, of: account)
    }

    /// Seconds: more is asked of no token, and the agent takes no more.
    private static let longestLifetime = Double(UInt32.max)

    private func token(
        _ request: AgentRequest,
        of account: AccountName
    ) async throws -> AccessToken {
        let answer = try await answer(request)
        guard let token = AccessToken(document: answer.body), token.account == account else {
            throw malformed(request)
        }
        return token
    }
}
