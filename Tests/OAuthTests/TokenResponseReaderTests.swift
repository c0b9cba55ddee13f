import FoundationEssentials
import OAuth
import Testing
import VaultCrypto

@Suite struct TokenResponseReaderTests {
    @Test("reads the corpus", arguments: TokenResponseRow.all)
    func corpus(row: TokenResponseRow) {
        row.check(row.needs_profile ?? ProviderQuirks())
    }

    @Test(
        "keeps a new refresh token of an answer it cannot use",
        arguments: [
            (200, #"{"refresh_token":"rt-2"}"#, "rt-2"),
            (200, #"{"refresh_token":"rt-2","access_token":""}"#, "rt-2"),
            (200, #"{"refresh_token":"rt-2","access_token":"at","expires_in":NaN}"#, "rt-2"),
            (200, #"{"access_token":"at","refresh_token":"rt-2","scope":"a"#, "rt-2"),
            (200, #"{"error":"server_error","refresh_token":"rt-2"}"#, "rt-2"),
            (200, "refresh_token=rt-2&error=server_error", "rt-2"),
            (200, #"{"refresh_token":"rt-2","access_token":"a\u0000t"}"#, "rt-2"),
            (200, #"{"refresh_token":"rt-2","access_token":"a\u007ft\r\n"}"#, "rt-2"),
            (200, "refresh_token=rt-2&access_token=a%0d%0at", "rt-2"),
            (200, "refresh_token=rt-2&access_token=%ff", "rt-2"),
            (200, #"{"refresh_token":"rt-2","access_token":17}"#, "rt-2"),
            (200, #"{"refresh_token":"rt-2","access_token":null}"#, "rt-2"),
            (200, #"{"refresh_token":"rt-2","access_token":["at"]}"#, "rt-2"),
            (200, #"{"refresh_token":"rt-2","access_token":{"value":"at"}}"#, "rt-2"),
            (200, #"{"refresh_token":2,"access_token":{"value":"at"}}"#, "2"),
            (200, #"{"access_token":true,"refreshToken":"rt-2"}"#, "rt-2"),
            (200, #"{"access_token":true,"refresh_token":""}"#, nil),
            (200, #"{"access_token":"at","refresh_token":"rt-"#, nil),
            (400, #"{"refresh_token":"rt-2"}"#, nil),
        ] as [(Int, String, String?)]
    )
    func salvage(status: Int, body: String, refreshToken: String?) {
        guard case .refused(let error) = read(status, body) else {
            Issue.record("granted")
            return
        }
        guard case .ambiguous = error.class else {
            Issue.record("\(error.class)")
            return
        }
        #expect(error.refreshToken?.reveal { $0 } == refreshToken)
    }

    @Test func cleansWhatTheServerSays() {
        let body =
            #"{"error":"x\u0007y","error_description":"\u001b[2Jgone\r\nnow \u202e \#(String(repeating: "ab ", count: 100))"}"#
        guard case .refused(let error) = read(400, body) else {
            Issue.record("granted")
            return
        }
        #expect(error.code == "xy")
        #expect(error.description?.hasPrefix("[2Jgone now ab ab") == true)
        #expect(error.description?.count ?? 0 <= 200)
    }

    @Test(
        "repeats no token in an explanation",
        arguments: [
            ("token short-1 unknown", "token <redacted> unknown"),
            ("token sho\u{200b}rt-1 unknown", "token <redacted> unknown"),
            ("token short-1\u{301} unknown", "token <redacted>\u{301} unknown"),
            ("bad: eyJhbGciOi.eyJzdWIi.c2ln!", "bad: <redacted>.<redacted>.c2ln!"),
            (
                "Refresh token invalid: 9f8e7d6c5b4a39281706f5e4d3c2b1a0.",
                "Refresh token invalid: <redacted>."
            ),
            (
                "Trace ID: 01234567-89ab-cdef-0123-456789abcdef Visit https://dev.example/docs/oauth2",
                "Trace ID: 01234567-89ab-cdef-0123-456789abcdef Visit https://dev.example/docs/oauth2"
            ),
        ]
    )
    func redacts(text: String, shown: String) {
        let body = #"{"error":"invalid_grant","error_description":"\#(text)"}"#
        guard case .refused(let error) = read(400, body, presented: Secret("short-1")) else {
            Issue.record("granted")
            return
        }
        #expect(error.description == shown)
    }

    @Test func cutsACharacterOfManyScalars() {
        let text = "e" + String(repeating: "\u{301}", count: 10_000)
        let body = #"{"error":"\#(text)","error_description":"\#(text)"}"#
        guard case .refused(let error) = read(400, body) else {
            Issue.record("granted")
            return
        }
        #expect(error.code?.unicodeScalars.count == 64)
        #expect(error.description?.unicodeScalars.count == 200)
    }

    @Test func takesTheIntervalThatSlowDownNames() {
        guard
            case .refused(let error) = read(
                200,
                "error=slow_down&interval=22",
                grantType: .deviceCode
            )
        else {
            Issue.record("granted")
            return
        }
        #expect(error.class == .slowDown)
        #expect(error.interval == 22)
    }

    @Test func honoursTheWishForAnEarlyRefresh() {
        let body = #"{"access_token":"at","expires_in":3600,"refresh_in":"1800"}"#
        guard case .granted(let response) = read(200, body) else {
            Issue.record("refused")
            return
        }
        #expect(response.refreshIn == 1800)
        #expect(response.lifetime == 3600)
    }

    @Test func tellsAReasonToActFromADeadGrant() {
        let body = #"{"error":"invalid_grant","suberror":"consent_required"}"#
        guard case .refused(let error) = read(400, body) else {
            Issue.record("granted")
            return
        }
        #expect(error.class == .interactionRequired)
    }

    private func read(
        _ status: Int,
        _ body: String,
        grantType: GrantType = .refreshToken,
        presented: Secret? = nil
    ) -> TokenAnswer {
        TokenResponseReader(grantType: grantType).read(
            HTTPResponse(status: status, body: Secret(body)),
            countingFrom: Date(timeIntervalSince1970: 1_760_000_000),
            presented: presented
        )
    }
}
