package import VaultCrypto

/// Why a token endpoint issued no access token (RFC 6749 §5.2, RFC 8628 §3.5).
package struct TokenEndpointError: Error, Sendable {
    /// What the answer means for what happens next.
    package let `class`: AnswerClass
    /// The error code as told, without control characters and cut at 64 characters.
    package let code: String?
    /// The server's explanation, without control characters and cut at 200 characters.
    ///
    /// What looks like a token is left out: some servers repeat the one they refuse.
    package let description: String?
    /// Seconds the server asks to wait.
    package let retryAfter: Double?
    /// Seconds between polls that a `slow_down` names.
    package let interval: Double?
    /// The HTTP status.
    package let status: Int
    /// A new refresh token in an answer that is otherwise unusable: it must not be lost.
    package let refreshToken: Secret?
    /// Whether the body is a page made for people: whatever stands before the token endpoint speaks.
    package let isPage: Bool

    /// An error put together from its parts.
    package init(
        class: AnswerClass,
        code: String? = nil,
        description: String? = nil,
        retryAfter: Double? = nil,
        interval: Double? = nil,
        status: Int,
        refreshToken: Secret? = nil,
        isPage: Bool = false
    ) {
        self.class = `class`
        self.code = code
        self.description = description
        self.retryAfter = retryAfter
        self.interval = interval
        self.status = status
        self.refreshToken = refreshToken
        self.isPage = isPage
    }
}

/// What an answer without an access token means.
package enum AnswerClass: Sendable, Hashable {
    /// The refresh token, code or device code is dead: a new sign-in is needed.
    case grantRefused
    /// The server wants to see the resource owner again.
    case interactionRequired
    /// The client, its secret or the endpoint is wrong; the grant may be fine.
    case clientRefused
    /// This one request asks for something that is not allowed.
    case requestRefused
    /// Too many requests.
    case throttled
    /// Nothing was said about the grant, and whether it was used is unknown.
    case ambiguous(Ambiguity)
    /// The device code waits for the resource owner.
    case authorizationPending
    /// The device code is polled too often.
    case slowDown
    /// The device code ran out.
    case expiredToken
    /// The resource owner said no.
    case accessDenied

    /// Two ways to say nothing.
    package enum Ambiguity: String, Sendable, Hashable {
        /// A fault of the moment: 5xx, a timeout, a code that says so.
        case transient
        /// No answer of a token endpoint.
        case malformed
    }
}
