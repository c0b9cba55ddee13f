package import FoundationEssentials
package import VaultCrypto

/// What a revocation endpoint's answer comes to.
package enum RevocationAnswer: Sendable {
    /// The token is dead; maybe it was already (RFC 7009 §2.2).
    case revoked
    /// There is no such token: as good as revoked, unless it was to speak for another one.
    case unknown
    /// The token has to be taken as alive.
    case failed(TokenEndpointError)
}

/// Reads a revocation endpoint's answer.
///
/// Success is a status alone, whatever the body says (RFC 7009 §2.2), unless the body tells of a
/// failure: some servers answer everything with 200.
package struct RevocationReader: Sendable {
    private let quirks: ProviderQuirks

    /// Codes that say that there is no such token, besides those of a token endpoint: what was wanted
    /// is so.
    private static let goneCodes: Set = [
        "invalid_auth", "not_authed", "account_inactive", "token_not_found", "unknown_token",
    ]

    package init(quirks: ProviderQuirks = ProviderQuirks()) {
        self.quirks = quirks
    }

    /// What the answer comes to.
    ///
    /// - Parameters:
    ///   - response: The answer, whatever its status.
    ///   - received: When it came, for a time to wait that is told as a date.
    ///   - presented: The token that was sent, kept out of the server's words.
    /// - Returns: That the token is dead, or why it is not.
    package func read(
        _ response: HTTPResponse,
        received: Date,
        presented: Secret? = nil
    ) -> RevocationAnswer {
        let body = TokenBody(response.body)
        let problem = TokenProblem(body.isReadable ? body.members : [:], quirks: quirks)
        let isSuccess = (200..<300).contains(response.status)
        guard !isSuccess || problem.isTold else { return .revoked }
        let answerClass = answerClass(problem, response, isPage: body.isMarkup)
        guard answerClass != .grantRefused else { return .unknown }
        return .failed(
            TokenEndpointError(
                class: answerClass,
                code: problem.code.flatMap { PlainText.clean($0, limit: 64, without: presented) },
                description: problem.texts.first.flatMap {
                    PlainText.clean($0, limit: 200, without: presented)
                },
                retryAfter: RetryAfter.seconds(in: response, received: received),
                status: response.status,
                isPage: body.isMarkup
            )
        )
    }

    private func answerClass(
        _ problem: TokenProblem,
        _ response: HTTPResponse,
        isPage: Bool
    ) -> AnswerClass {
        // This kind of token is not revoked there (RFC 7009 §2.2.1); another try changes nothing.
        if problem.codes.contains("unsupported_token_type") { return .clientRefused }
        let known = AnswerClassifier(grantType: .refreshToken, quirks: quirks)
            .classify(problem, response: response, isPage: isPage)
        guard case .ambiguous(.malformed) = known,
            problem.codes.contains(where: Self.goneCodes.contains)
        else { return known }
        return .grantRefused
    }
}
