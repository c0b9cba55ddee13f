import OAuth
import Testing
import VaultCrypto

@Suite struct AuthorizationRequestTests {
    @Test func carriesWhatTheStandardAsksFor() throws {
        let request = try make("https://as.example/authorize", scope: "openid a:b")
        #expect(
            try parameters(of: request) == [
                "response_type": "code", "client_id": "c id",
                "redirect_uri": "http://127.0.0.1:7/cb",
                "scope": "openid a:b", "state": "st", "nonce": "no", "code_challenge": "ch",
                "code_challenge_method": "S256",
            ]
        )
        #expect(
            request.url.string.hasPrefix(
                "https://as.example/authorize?response_type=code&client_id=c%20id&"
            )
        )
    }

    @Test(
        "keeps a query the endpoint has",
        arguments: [
            ("https://as.example/a?p=b2c", "https://as.example/a?p=b2c&response_type=code"),
            ("https://as.example/a?", "https://as.example/a?response_type=code"),
            ("https://as.example", "https://as.example?response_type=code"),
        ]
    )
    func keepsQuery(endpoint: String, prefix: String) throws {
        let request = try make(endpoint, scope: "a")
        #expect(request.url.string.hasPrefix(prefix))
        #expect(throws: Never.self) { try EndpointURL(request.url.string) }
    }

    @Test func sendsANonceOnlyForOpenIDConnect() throws {
        let request = try make("https://as.example/a", scope: "email")
        #expect(request.nonce == nil)
        #expect(try parameters(of: request)["nonce"] == nil)
    }

    @Test func addsParametersButReplacesNone() throws {
        let request = try make(
            "https://as.example/a",
            scope: "a b",
            separator: ",",
            extra: [("access_type", "offline"), ("state", "evil"), ("nonce", "x")]
        )
        let found = try parameters(of: request)
        #expect(found["access_type"] == "offline")
        #expect(found["state"] == "st")
        #expect(found["nonce"] == "x")
        #expect(found["scope"] == "a,b")
    }

    @Test func leavesAnEmptyScopeOut() throws {
        #expect(try parameters(of: make("https://as.example/a", scope: ""))["scope"] == nil)
    }

    private func make(
        _ endpoint: String,
        scope: String,
        separator: String = " ",
        extra: [(String, String)] = []
    ) throws -> AuthorizationRequest {
        AuthorizationRequest(
            endpoint: try EndpointURL(endpoint),
            clientID: ClientID(rawValue: "c id"),
            redirectURI: "http://127.0.0.1:7/cb",
            scope: Scope(parsing: scope),
            scopeSeparator: separator,
            codeChallenge: "ch",
            extra: extra,
            state: Secret("st"),
            nonce: Secret("no")
        )
    }

    private func parameters(of request: AuthorizationRequest) throws -> [String: String] {
        let query = try #require(request.url.query)
        let decoded = FormDecoding.pairs(query.utf8.span)
        let pairs = try #require(decoded)
        return Dictionary(uniqueKeysWithValues: pairs.map { ($0.name, $0.value.reveal { $0 }) })
    }
}

@Suite struct ProofKeyTests {
    @Test func matchesAppendixBOfRFC7636() {
        let proof = ProofKey(codeVerifier: Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        #expect(proof.codeChallenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test func makesFreshVerifiersOfTheRightForm() {
        let verifiers = (0..<100).map { _ in ProofKey.make().codeVerifier.reveal { $0 } }
        #expect(Set(verifiers).count == 100)
        #expect(verifiers.allSatisfy { $0.utf8.count == 43 })
        #expect(
            verifiers.allSatisfy {
                $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
            }
        )
    }
}
