import FoundationEssentials
import OAuth
import Testing
import VaultCrypto

@Suite struct RefreshTokenLifetimeTests {
    private static let start = Date(timeIntervalSince1970: 1_760_000_000)

    private func lifetime(_ members: String, _ quirks: ProviderQuirks = ProviderQuirks()) -> Double?
    {
        let reader = TokenResponseReader(grantType: .refreshToken, quirks: quirks)
        let body = #"{"access_token":"a","refresh_token":"r","expires_in":300\#(members)}"#
        let response = HTTPResponse(status: 200, headers: [], body: Secret(body))
        guard case .granted(let granted) = reader.read(response, countingFrom: Self.start) else {
            return nil
        }
        #expect(granted.flaw == nil)
        return granted.refreshTokenLifetime
    }

    @Test(
        "cli D13: what an answer says of its refresh token, by whichever name",
        arguments: [
            ("", nil), (#","refresh_expires_in":1800"#, 1800),
            (#","refresh_token_expires_in":"15811200""#, 15_811_200),
            (#","x_refresh_token_expires_in":8726400"#, 8_726_400),
            (#","refresh_token_expiration":1791536000"#, 31_536_000),
            (#","refresh_token_expires_at":"2026-10-09T08:53:20Z""#, 31_536_000),
            // Keycloak: there is no end.
            (#","refresh_expires_in":0"#, nil), (#","refresh_expires_in":-1"#, nil),
            (#","refresh_expires_in":null"#, nil), (#","refresh_expires_in":"soon""#, nil),
            (#","refresh_expires_in":1e300"#, nil), (#","refresh_token_expiration":5"#, nil),
            (#","refresh_expires_in":1.9"#, 1),
        ] as [(String, Double?)]
    )
    func names(members: String, expected: Double?) {
        #expect(lifetime(members) == expected)
    }

    @Test func whoTellsOneLifetimeInMillisecondsTellsTheOtherSoToo() {
        var quirks = ProviderQuirks()
        quirks.expiresInUnit = .milliseconds
        #expect(lifetime(#","refresh_expires_in":1800000"#, quirks) == 1800)
    }

    @Test func aProgramsOwnAnswerTellsOneThatMakesSense() {
        for (lifetime, flaw) in [
            (nil, nil), (60, nil), (0, "refresh_token_lifetime"), (-1, "refresh_token_lifetime"),
            (.infinity, "refresh_token_lifetime"), (.nan, "refresh_token_lifetime"),
        ] as [(Double?, String?)] {
            let response = TokenResponse(accessToken: Secret("a"), refreshTokenLifetime: lifetime)
            #expect(response.flaw == flaw)
        }
    }
}
