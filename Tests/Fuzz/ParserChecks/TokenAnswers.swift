internal import FoundationEssentials
internal import OAuth
internal import VaultCrypto

/// What a token answer's input says beside the body: two bytes in front of it.
enum AnswerSetting {
    static let statuses = [200, 400, 401, 403, 429, 500, 201, 302, 404, 503]
    /// What was sent; some servers repeat it.
    static let presented = "CANARY-4f9a1c77e2"
    static let start = Date(timeIntervalSince1970: 1_760_000_000)

    static let quirks: [ProviderQuirks] = {
        var nested = ProviderQuirks()
        nested.tokenPath = "authed_user"
        nested.resultField = "ok"
        nested.okResult = "true"
        var paths = ProviderQuirks()
        paths.accessTokenPath = "data.access.token"
        paths.refreshTokenPath = "data.refresh"
        paths.scopePath = "data.scope"
        paths.expiresAtPath = "data.expires"
        paths.errorCodes = ["10": .grantRefused, "slow": .throttled]
        var milliseconds = ProviderQuirks()
        milliseconds.expiresInField = "expires_in"
        milliseconds.expiresInUnit = .milliseconds
        return [ProviderQuirks(), nested, paths, milliseconds]
    }()

    static func bytes(grantType: GrantType, status: Int) -> [UInt8] {
        let grant = GrantType.allCases.firstIndex(of: grantType) ?? 0
        return [UInt8(grant), UInt8(statuses.firstIndex(of: status) ?? 1)]
    }
}

extension Check {
    func tokenAnswer(_ bytes: [UInt8]) {
        guard bytes.count >= 2 else { return }
        let (first, second) = (Int(bytes[0]), Int(bytes[1]))
        let grants = GrantType.allCases
        let reader = TokenResponseReader(
            grantType: grants[first % grants.count],
            quirks: AnswerSetting.quirks[first / grants.count % AnswerSetting.quirks.count]
        )
        let response = HTTPResponse(
            status: AnswerSetting.statuses[second % AnswerSetting.statuses.count],
            body: Secret(bytes: Array(bytes[2...]))
        )
        let answers = (0..<2).map { _ in
            reader.read(
                response,
                countingFrom: AnswerSetting.start,
                presented: Secret(AnswerSetting.presented)
            )
        }
        switch (answers[0], answers[1]) {
        case (.granted(let granted), .granted(let again)):
            expectGood(granted)
            expect((200..<300).contains(response.status), "granted by \(response.status)")
            expect(
                granted.accessToken == again.accessToken
                    && granted.refreshToken == again.refreshToken
                    && granted.expiry == again.expiry && granted.scope == again.scope
                    && granted.extra == again.extra,
                "two readings differ"
            )
        case (.refused(let error), .refused(let again)):
            expectSecretive(error)
            expect(
                error.class == again.class && error.code == again.code
                    && error.description == again.description
                    && error.refreshToken == again.refreshToken,
                "two readings differ"
            )
        default: expect(false, "granted and refused")
        }
    }

    private func expectGood(_ granted: TokenResponse) {
        granted.accessToken.withBytes { token in
            expect(!token.isEmpty, "an empty access token")
            let isPrintable = token.indices.allSatisfy { token[$0] >= 0x20 && token[$0] != 0x7f }
            expect(isPrintable, "an access token with a control character")
        }
        expect(granted.refreshToken.map { !$0.isEmpty } ?? true, "an empty refresh token")
        expect(!granted.tokenType.isEmpty, "an empty token type")
        expect((granted.lifetime == nil) == (granted.expiry == nil), "one end of two")
        let isWhole = granted.lifetime.map { $0 > 0 && $0.isFinite && $0 == $0.rounded() } ?? true
        expect(isWhole, "a lifetime of \(granted.lifetime ?? 0)")
        expect(granted.refreshIn.map { $0 > 0 && $0.isFinite } ?? true, "refresh_in")
    }

    func expectSecretive(_ error: TokenEndpointError) {
        expectShowable(error.code, limit: 64)
        expectShowable(error.description, limit: 200)
        let shown = (error.code ?? "") + " " + (error.description ?? "")
        let isShown = shown.utf8.firstRange(of: AnswerSetting.presented.utf8) != nil
        expect(!isShown, "what was sent is shown")
        expect(error.refreshToken.map { !$0.isEmpty } ?? true, "an empty refresh token")
        expect(error.interval.map { $0 > 0 && $0.isFinite } ?? true, "an interval")
    }

    func retryAfter(_ bytes: [UInt8]) {
        let lines = String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        var headers = [(name: "retry-after", value: String(lines[0]))]
        if lines.count == 2 { headers.append((name: "Date", value: String(lines[1]))) }
        let answer = TokenResponseReader(grantType: .refreshToken).read(
            HTTPResponse(status: 503, headers: headers, body: Secret("")),
            countingFrom: AnswerSetting.start
        )
        guard case .refused(let error) = answer else { return expect(false, "granted") }
        let isBounded =
            error.retryAfter.map { $0 >= 0 && $0 <= 365 * 86_400 && $0 == $0.rounded() } ?? true
        expect(isBounded, "a wait of \(error.retryAfter ?? 0)")
    }

    /// The date of an answer that states one.
    func date(_ bytes: [UInt8]) {
        let body = JSONText.encode([
            "access_token": .string(Secret("t")), "expires_at": .string(Secret(bytes: bytes)),
        ])
        let answer = TokenResponseReader(grantType: .refreshToken).read(
            HTTPResponse(status: 200, body: body),
            countingFrom: AnswerSetting.start
        )
        guard case .granted(let granted) = answer else { return expect(false, "refused") }
        expectGood(granted)
    }

    func accessTokenExpiry(_ bytes: [UInt8]) {
        let token = Secret(bytes: bytes)
        let claims = JSONWebToken.claims(of: token)
        expect(claims == JSONWebToken.claims(of: token), "two readings differ")
        for time in [claims?.expiry, claims?.issuedAt, claims?.notBefore] {
            // Up to the year 9999, which every calendar can show.
            expect(time.map { abs($0) <= 253_402_300_799 } ?? true, "a time of \(time ?? 0)")
        }
    }
}

extension JSONText {
    fileprivate static func encode(_ members: JSONObject) -> Secret { encode(.object(members)) }
}
