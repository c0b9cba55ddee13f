import FoundationEssentials
import OAuth
import Testing
import VaultAgentClient
import VaultCrypto

@Suite struct TokenDocumentTests {
    private static let expiry = Date(timeIntervalSince1970: 1_760_000_000)

    @Test func token() throws {
        try expect(
            TokenDocument(
                account: "work",
                accessToken: "a/b+c==",
                tokenType: "Bearer",
                expiresAt: Self.expiry,
                generation: 7,
                grantedScope: "a b",
                warning: "paused"
            ),
            """
            {"accessToken":"a/b+c==","account":"work","expiresAt":"2025-10-09T08:53:20Z",\
            "generation":7,"grantedScope":"a b","schemaVersion":1,"tokenType":"Bearer",\
            "warning":"paused"}
            """
        )
        try expect(
            TokenDocument(
                account: "work",
                accessToken: "é\"\\\u{1}",
                tokenType: "DPoP",
                expiresAt: nil,
                generation: .max
            ),
            #"{"accessToken":"é\"\\\u0001","account":"work","expiresAt":null,"#
                + #""generation":18446744073709551615,"grantedScope":null,"schemaVersion":1,"#
                + #""tokenType":"DPoP","warning":null}"#
        )
    }

    @Test("a token is the same after its way over the socket", arguments: [nil, expiry])
    func roundTrip(expiry: Date?) throws {
        for (scope, warning) in [(nil, nil), (Scope(["b", "a"]), .notSaved)]
            as [(Scope?, AccessToken.Warning?)]
        {
            let token = AccessToken(
                account: "work",
                value: Secret("é\"\\\u{1}/"),
                tokenType: "DPoP",
                expiry: expiry,
                generation: .max,
                grantedScope: scope,
                warning: warning
            )
            let bytes = try WireJSON.encode(TokenDocument(token))
            #expect(AccessToken(document: Secret(bytes: bytes)) == token)
        }
    }

    /// As one of an older version says it.
    @Test func whatIsMissingIsUnknown() throws {
        let text = #"{"accessToken":"t","account":"a","generation":0,"tokenType":"Bearer"}"#
        let token = try #require(AccessToken(document: Secret(text)))
        #expect(token.expiry == nil && token.grantedScope == nil && token.warning == nil)
        let document = try WireJSON.decode(
            TokenDocument.self,
            from: Array((text.dropLast() + #","schemaVersion":1}"#).utf8)
        )
        #expect(document.grantedScope == nil)
    }
}
