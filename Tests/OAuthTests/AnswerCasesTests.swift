import FoundationEssentials
import OAuth
import Testing
import VaultCrypto

/// Reported answers that other clients took for something else, by the row that tells of them.
@Suite struct AnswerCasesTests {
    private static let now = Date(timeIntervalSince1970: 1_760_000_000)

    private func read(
        _ body: String,
        status: Int = 200,
        type: String? = nil,
        retryAfter: String? = nil,
        provider: String? = nil,
        quirks: ProviderQuirks? = nil
    ) -> TokenAnswer {
        let known = provider.flatMap { ProviderCatalogue.builtIn[$0] }?.quirks
        var headers: [(name: String, value: String)] = []
        if let type { headers.append(("Content-Type", type)) }
        if let retryAfter { headers.append(("Retry-After", retryAfter)) }
        return TokenResponseReader(
            grantType: .refreshToken,
            quirks: quirks ?? known ?? ProviderQuirks()
        ).read(
            HTTPResponse(status: status, headers: headers, body: Secret(body)),
            countingFrom: Self.now
        )
    }

    private func granted(_ answer: TokenAnswer) throws -> TokenResponse {
        guard case .granted(let response) = answer else {
            throw Unexpected()
        }
        return response
    }

    private func refused(_ answer: TokenAnswer) throws -> TokenEndpointError {
        guard case .refused(let error) = answer else {
            throw Unexpected()
        }
        return error
    }

    private struct Unexpected: Error {}

    @Test func c2AFormIsReadAsOne() throws {
        let response = try granted(
            read(
                "access_token=at&expires_in=3600&refresh_token=r%2F2&scope=a+b&token_type=bearer",
                type: "application/x-www-form-urlencoded"
            )
        )
        #expect(response.accessToken == Secret("at"))
        #expect(response.refreshToken == Secret("r/2"))
        #expect(response.lifetime == 3600)
        #expect(response.scope == Scope(["a", "b"]))
    }

    @Test(
        "C3: the body says what it is",
        arguments: ["text/plain", "text/html; charset=utf-8", "application/octet-stream", nil]
    )
    func c3(type: String?) throws {
        let response = try granted(
            read("\u{feff}\r\n {\"access_token\":\"at\",\"refresh_token\":\"rt\"} ", type: type)
        )
        #expect(response.refreshToken == Secret("rt"))
    }

    @Test(
        "C4, C5: no refresh token means that the old one stays",
        arguments: ["", #","refresh_token":"""#, #","refresh_token":null"#]
    )
    func c4c5(member: String) throws {
        let response = try granted(read(#"{"access_token":"at","expires_in":60\#(member)}"#))
        #expect(response.refreshToken == nil)
    }

    @Test("C11: an error under 200 is one", arguments: [nil, "github"])
    func c11(provider: String?) throws {
        for body in [#"{"error":"bad_refresh_token"}"#, "error=bad_refresh_token"] {
            let error = try refused(read(body, provider: provider))
            #expect(error.class == .grantRefused)
            #expect(error.code == "bad_refresh_token")
        }
    }

    @Test("C12: so is ok:false", arguments: [nil, "slack"])
    func c12(provider: String?) throws {
        let limited = try refused(
            read(#"{"ok":false,"error":"ratelimited"}"#, retryAfter: "30", provider: provider)
        )
        #expect(limited.class == .throttled)
        #expect(limited.retryAfter == 30)
        let dead = try refused(
            read(#"{"ok":false,"error":"invalid_refresh_token"}"#, provider: provider)
        )
        #expect(dead.class == .grantRefused)
    }

    @Test func c16MillisecondsWhereTheCatalogueSaysSo() throws {
        let body = #"{"access_token":"at","expires_in":3600000}"#
        #expect(try granted(read(body, provider: "fiserv")).lifetime == 3600)
        #expect(try granted(read(body)).lifetime == 3_600_000)
    }

    @Test(
        "C16: an absolute end in every form",
        arguments: ["1760003600", "1760003600000", #""2025-10-09T09:53:20Z""#, #""1760003600""#]
    )
    func c16(value: String) throws {
        let body = #"{"access_token":"at","expires_at":\#(value)}"#
        #expect(try granted(read(body)).lifetime == 3600)
        let named = #"{"access_token":"at","access_token_expiration":\#(value),"expires_in":5}"#
        #expect(try granted(read(named, provider: "clover")).lifetime == 3600)
    }

    @Test(
        "D1: a refusal that names a race says nothing about the grant",
        arguments: [
            #"{"error":"invalid_request","error_hint":"Detected concurrent use, please retry."}"#,
            #"{"error":"invalid_request","error_description":"The request is malformed. Failed because of multiple concurrent requests using the same token."}"#,
            #"{"error":"invalid_request","hint":"Concurrent requests, please retry"}"#,
        ]
    )
    func d1(body: String) throws {
        #expect(try refused(read(body, status: 400)).class == .ambiguous(.transient))
    }

    @Test func d2TheGrantIsDeadWhereTheCatalogueSaysSo() throws {
        let body =
            #"{"error":"unauthorized_client","error_description":"refresh_token is invalid"}"#
        #expect(try refused(read(body, status: 403, provider: "atlassian")).class == .grantRefused)
        #expect(try refused(read(body, status: 403)).class == .clientRefused)
        let other = #"{"error":"unauthorized_client","error_description":"no such client"}"#
        #expect(
            try refused(read(other, status: 403, provider: "atlassian")).class == .clientRefused
        )
    }

    @Test(
        "a long wait is cut and not ignored",
        arguments: [
            ("120", 120), ("31536001", 31_536_000), (String(repeating: "9", count: 40), 31_536_000),
            (String(repeating: "9", count: 4000), 31_536_000), ("1.2.3", nil), ("-5", nil),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 31_536_000),
        ] as [(String, Double?)]
    )
    func longWait(field: String, seconds: Double?) throws {
        #expect(try refused(read("", status: 429, retryAfter: field)).retryAfter == seconds)
    }

    @Test func anEnvelopeIsOpenedWhereThereIsOne() throws {
        let enveloped = #"{"authed_user":{"id":"U","access_token":"user","refresh_token":"r"}}"#
        #expect(try granted(read(enveloped, provider: "slack")).accessToken == Secret("user"))
        let plain = #"{"ok":true,"access_token":"bot","authed_user":{"id":"U"}}"#
        #expect(try granted(read(plain, provider: "slack")).accessToken == Secret("bot"))
        // A pair that is half usable is still the pair.
        let half = #"{"access_token":"other","authed_user":{"access_token":7,"refresh_token":"r"}}"#
        #expect(try refused(read(half, provider: "slack")).refreshToken == Secret("r"))
    }

    @Test func aTextStandsAboveItsCode() throws {
        var quirks = ProviderQuirks()
        quirks.errorCodes = ["oops": .clientRefused]
        quirks.errorTexts = [.init(text: "Token_Expired!", code: nil, meaning: .grantRefused)]
        let told = #"{"error":"oops","message":"The token expired."}"#
        #expect(try refused(read(told, status: 400, quirks: quirks)).class == .grantRefused)
        let other = #"{"error":"oops","message":"Something else."}"#
        #expect(try refused(read(other, status: 400, quirks: quirks)).class == .clientRefused)
        // Too many requests are too many, whatever else is said.
        #expect(try refused(read(told, status: 429, quirks: quirks)).class == .throttled)
    }
}
