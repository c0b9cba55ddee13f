import FoundationEssentials
import OAuth
import Testing
import VaultCrypto

extension TokenResponseRow {
    /// Reads the line's answer as that of a provider with these quirks, and compares.
    func check(_ quirks: ProviderQuirks) {
        let start = Date(timeIntervalSince1970: received_at)
        let answer = TokenResponseReader(grantType: grantType, quirks: quirks)
            .read(response, countingFrom: start)
        let expected = decision
        switch answer {
        case .granted(let response):
            #expect(expected.ok)
            check(response, expected, start)
        case .refused(let error):
            #expect(!expected.ok)
            #expect(error.class.corpusName == expected.class)
            if let code = expected.oauth_error { #expect(error.code == code) }
            if let wait = expected.retry_after_s { #expect(error.retryAfter == wait) }
            #expect(error.status == http_status)
        }
    }

    private func check(
        _ response: TokenResponse,
        _ expected: Expected,
        _ start: Date
    ) {
        if let digest = expected.access_token_sha256 {
            let found = response.accessToken.reveal { Digest.sha256(Array($0.utf8)) }
            #expect(found.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == digest)
        } else {
            #expect(response.accessToken.reveal { $0 } == expected.access_token)
        }
        #expect(response.refreshToken?.reveal { $0 } == expected.refresh_token)
        #expect(response.expiry?.timeIntervalSince1970 == expected.expires_at)
        #expect(response.lifetime == response.expiry?.timeIntervalSince(start))
        #expect(response.tokenType == expected.token_type)
        #expect(response.scope?.names == expected.scope)
        for (name, value) in expected.extra ?? [:] {
            #expect(
                response.extra[name] == .number(value.text)
                    || response.extra[name]?.text == value.text
            )
        }
    }
}
