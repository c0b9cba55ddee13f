package import FoundationEssentials
package import VaultCrypto

/// Reads a token endpoint's answer: leniently where a login depends on it, strictly where something
/// else could be taken for a token.
package struct TokenResponseReader: Sendable {
    private let grantType: GrantType
    private let quirks: ProviderQuirks

    /// A reader for answers to one kind of grant.
    package init(grantType: GrantType, quirks: ProviderQuirks = ProviderQuirks()) {
        self.grantType = grantType
        self.quirks = quirks
    }

    /// What the answer comes to.
    ///
    /// - Parameters:
    ///   - response: The answer, whatever its status.
    ///   - start: The moment lifetimes count from.
    ///   - presented: The token or code that was sent, kept out of the server's words.
    /// - Returns: The tokens, or the reason why there are none.
    package func read(
        _ response: HTTPResponse,
        countingFrom start: Date,
        presented: Secret? = nil
    ) -> TokenAnswer {
        let body = TokenBody(response.body)
        let document = JSONValue.object(JSONObject(body.members))
        let tokens = container(in: document)
        let problem = TokenProblem(body.isReadable ? body.members : [:], quirks: quirks)
        let isSuccess = (200..<300).contains(response.status)
        if isSuccess, body.isReadable, !problem.isTold, let token = accessToken(in: tokens) {
            return .granted(granted(token, with: tokens, from: start))
        }
        let isPage = body.isMarkup || !response.body.isEmpty && response.isMarkedAsPage
        let answerClass = AnswerClassifier(grantType: grantType, quirks: quirks)
            .classify(problem, response: response, isPage: isPage)
        return .refused(
            TokenEndpointError(
                class: answerClass,
                code: problem.code.flatMap { PlainText.clean($0, limit: 64, without: presented) },
                description: problem.texts.first.flatMap {
                    PlainText.clean($0, limit: 200, without: presented)
                },
                retryAfter: RetryAfter.seconds(in: response, received: start),
                interval: body.members["interval"].flatMap(positive),
                status: response.status,
                refreshToken: isSuccess ? refreshToken(in: tokens) : nil,
                isPage: isPage
            )
        )
    }

    private func granted(
        _ accessToken: Secret,
        with tokens: JSONValue,
        from start: Date
    ) -> TokenResponse {
        let expiry = TokenExpiry(tokens, accessToken: accessToken, quirks: quirks, from: start)
        let members = tokens.object ?? [:]
        return TokenResponse(
            accessToken: accessToken,
            refreshToken: refreshToken(in: tokens),
            tokenType: tokenType(members["token_type"]),
            lifetime: expiry.lifetime,
            expiry: expiry.date,
            scope: scope(in: tokens),
            idToken: members["id_token"]?.secret.flatMap { $0.isEmpty ? nil : $0 },
            refreshIn: members["refresh_in"].flatMap(positive),
            refreshTokenLifetime: RefreshTokenLifetime.seconds(
                in: tokens,
                quirks: quirks,
                from: start
            ),
            extra: members.filter { !Self.knownMembers.contains($0.key) }
        )
    }

    private static let knownMembers: Set = [
        "access_token", "accessToken", "refresh_token", "refreshToken", "token_type", "id_token",
        "expires_in", "refresh_in", "scope", "scopes", "error", "error_description",
    ]
}

// MARK: - Members

extension TokenResponseReader {
    /// What holds the tokens: some answers of one provider have the envelope and others do not.
    private func container(in document: JSONValue) -> JSONValue {
        guard let inner = quirks.tokenPath.flatMap({ document.member(at: $0) }) else {
            return document
        }
        let isEmpty = accessToken(in: inner) == nil && refreshToken(in: inner) == nil
        return isEmpty ? document : inner
    }

    private func accessToken(in tokens: JSONValue) -> Secret? {
        let value = member(quirks.accessTokenPath, or: ["access_token", "accessToken"], in: tokens)
        guard let token = value?.secret, !token.isEmpty, token.isPrintable else { return nil }
        return token
    }

    /// A new refresh token; absent, null and empty all mean that the stored one stays (RFC 6749 §6).
    ///
    /// A number's digits are taken: a token may have been rotated into them, and the stored one
    /// would be dead.
    private func refreshToken(in tokens: JSONValue) -> Secret? {
        let value = member(
            quirks.refreshTokenPath,
            or: ["refresh_token", "refreshToken"],
            in: tokens
        )
        if case .number(let digits) = value { return Secret(digits) }
        return value?.secret.flatMap { $0.isEmpty ? nil : $0 }
    }

    private func scope(in tokens: JSONValue) -> Scope? {
        switch member(quirks.scopePath, or: ["scope", "scopes"], in: tokens) {
        case .string(let text):
            // Blanks by the standard, commas by habit.
            Scope(
                text.reveal { text in
                    text.unicodeScalars.split { $0.properties.isWhitespace || $0 == "," }
                        .map(String.init)
                }
            )
        case .array(let elements):
            Scope(
                elements.compactMap { element in
                    if case .number(let digits) = element { digits } else { element.text }
                }
            )
        default: nil
        }
    }

    private func tokenType(_ value: JSONValue?) -> String {
        guard let type = value?.text, !type.isEmpty else { return "Bearer" }
        return switch type.lowercased() {
        case "bearer": "Bearer"
        case "dpop": "DPoP"
        default: type
        }
    }

    private func member(_ path: String?, or names: [String], in tokens: JSONValue) -> JSONValue? {
        if let path { return tokens.member(at: path) }
        return names.lazy.compactMap { tokens.object?[$0] }.first { $0 != .null }
    }

    private func positive(_ value: JSONValue) -> Double? { value.positive }
}

extension JSONValue {
    /// A number above zero.
    var positive: Double? { double.flatMap { $0 > 0 ? $0 : nil } }
}

extension Secret {
    /// Whether it is text without control characters.
    var isPrintable: Bool {
        withBytes { bytes in
            (try? UTF8Span(validating: bytes)) != nil
                && bytes.indices.allSatisfy { bytes[$0] >= 0x20 && bytes[$0] != 0x7f }
        }
    }
}

extension HTTPResponse {
    /// Whether it calls itself a page made for people.
    fileprivate var isMarkedAsPage: Bool {
        header("Content-Type")?.lowercased().hasPrefix("text/html") ?? false
    }
}
