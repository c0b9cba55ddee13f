/// The codes and texts of token endpoints whose meaning is known.
enum AnswerTable {
    /// Codes of RFC 8628 §3.5, which mean something only to a poll.
    static let devicePolling: [String: AnswerClass] = [
        "authorization_pending": .authorizationPending,
        "slow_down": .slowDown,
        "access_denied": .accessDenied,
        "authorization_declined": .accessDenied,
        "expired_token": .expiredToken,
        "bad_verification_code": .expiredToken,
    ]

    /// Error codes of RFC 6749 §5.2, of its extensions, and of providers that have their own.
    static let codes: [String: AnswerClass] = [
        "invalid_grant": .grantRefused,
        "bad_refresh_token": .grantRefused,
        "invalid_refresh_token": .grantRefused,
        "bad_verification_code": .grantRefused,
        "invalid_code": .grantRefused,
        "invalid_token": .grantRefused,
        "token_expired": .grantRefused,
        "token_revoked": .grantRefused,
        "revoked_access_token": .grantRefused,

        "interaction_required": .interactionRequired,
        "login_required": .interactionRequired,
        "consent_required": .interactionRequired,
        "account_selection_required": .interactionRequired,
        "invalid_rapt": .interactionRequired,
        "basic_action": .interactionRequired,
        "additional_action": .interactionRequired,

        "invalid_client": .clientRefused,
        "unauthorized_client": .clientRefused,
        "unsupported_grant_type": .clientRefused,
        "redirect_uri_mismatch": .clientRefused,
        "incorrect_client_credentials": .clientRefused,
        "bad_client_secret": .clientRefused,
        "invalid_client_id": .clientRefused,
        "bad_client_id": .clientRefused,
        "deleted_client": .clientRefused,
        "disabled_client": .clientRefused,
        "device_flow_disabled": .clientRefused,

        "invalid_request": .requestRefused,
        "invalid_scope": .requestRefused,
        "invalid_target": .requestRefused,
        // Entra's, for a resource that it does not know.
        "invalid_resource": .requestRefused,

        "slow_down": .throttled,
        "rate_limited": .throttled,
        "ratelimited": .throttled,
        "rate_limit_error": .throttled,
        "too_many_requests": .throttled,

        "server_error": .ambiguous(.transient),
        "temporarily_unavailable": .ambiguous(.transient),
        "internal_error": .ambiguous(.transient),
        "internal_failure": .ambiguous(.transient),
        "service_unavailable": .ambiguous(.transient),
    ]

    /// A phrase whose meaning is known.
    struct KnownText: Sendable {
        let phrase: String
        let answerClass: AnswerClass
        /// Known codes that the phrase overrules; an unknown or missing code always yields.
        var contradicts: Set<String> = []
        /// Whether the phrase is all there may be.
        var isWhole = false
    }

    /// Texts that say what no code, or the wrong one, says; compared in the spelling of `spelled`.
    static let texts: [KnownText] =
        [
            // Salesforce: two refreshes at once, the token lives.
            KnownText(
                phrase: "token request is already being processed",
                answerClass: .ambiguous(.transient),
                contradicts: ["invalid_grant"]
            ),
            // Ory: two refreshes at once; which of them was taken is not said.
            KnownText(
                phrase: "concurrent request",
                answerClass: .ambiguous(.transient),
                contradicts: ["invalid_request", "invalid_grant"]
            ),
            KnownText(
                phrase: "concurrent use",
                answerClass: .ambiguous(.transient),
                contradicts: ["invalid_request"]
            ),
            // Google: its own library retries.
            KnownText(phrase: "internal failure", answerClass: .ambiguous(.transient)),
            KnownText(
                phrase: "too many requests",
                answerClass: .throttled,
                contradicts: ["invalid_request", "invalid_grant", "server_error"]
            ),
            KnownText(phrase: "invalid client secret", answerClass: .clientRefused),
            KnownText(phrase: "unauthorized client", answerClass: .clientRefused),
            KnownText(phrase: "unsupported media type", answerClass: .clientRefused),
            // X for a consumed refresh token, Zoom for a dead one, Facebook for both kinds.
            KnownText(
                phrase: "value passed for the token was invalid",
                answerClass: .grantRefused,
                contradicts: ["invalid_request"]
            ),
            KnownText(
                phrase: "invalid token",
                answerClass: .grantRefused,
                contradicts: ["invalid_request"],
                isWhole: true
            ),
            KnownText(phrase: "authorization code has been used", answerClass: .grantRefused),
            KnownText(phrase: "authorization code has expired", answerClass: .grantRefused),
            KnownText(phrase: "error validating access token", answerClass: .grantRefused),
        ]
        + [
            "invalid refresh token", "refresh token is invalid", "refresh token invalid",
            "refresh token has expired", "refresh token is expired", "refresh token expired",
            "refresh token has been revoked", "refresh token revoked",
        ].map {
            KnownText(
                phrase: $0,
                answerClass: .grantRefused,
                contradicts: ["invalid_request"]
            )
        }

    /// Lower case, blanks for underscores, without punctuation at the end.
    static func spelled(_ text: String) -> String {
        var spelled = text.lowercased().replacing("_", with: " ").trimmingBlanks
        while let last = spelled.last, ".!".contains(last) { spelled.removeLast() }
        return spelled
    }
}
