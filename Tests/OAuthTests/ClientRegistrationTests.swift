import FoundationEssentials
import OAuth
import Testing
import VaultCrypto

@Suite struct ClientRegistrationTests {
    @Test func asksForANativeApplication() throws {
        let request = ClientRegistration.request(
            at: try EndpointURL("https://as.example/register"),
            name: "vault",
            redirectURIs: ["http://127.0.0.1:7/callback"],
            grantTypes: [.authorizationCode, .refreshToken],
            authentication: .none,
            scope: Scope(["a", "b"])
        )
        let body = request.body?.reveal { $0 } ?? ""
        #expect(
            body == """
                {"application_type":"native","client_name":"vault",\
                "grant_types":["authorization_code","refresh_token"],\
                "redirect_uris":["http://127.0.0.1:7/callback"],"response_types":["code"],\
                "scope":"a b","token_endpoint_auth_method":"none"}
                """
        )
        #expect(request.method == .post && request.url.string == "https://as.example/register")
    }

    @Test(
        "takes what the server registered",
        arguments: [
            (201, #"{"client_id":"c"}"#, "c none -"),
            (200, #"{"client_id":"c","client_secret":""}"#, "c none -"),
            (201, #"{"client_id":"c","client_secret":"s"}"#, "c client_secret_basic s"),
            (
                201,
                #"{"client_id":"c","client_secret":"s","token_endpoint_auth_method":"none"}"#,
                "c none -"
            ),
            (
                201,
                #"""
                {"client_id":"c","client_secret":"s",
                "token_endpoint_auth_method":"client_secret_post"}
                """#,
                "c client_secret_post s"
            ),
            (
                201,
                #"{"client_id":"c","token_endpoint_auth_method":"client_secret_post"}"#,
                "malformed"
            ),
            (201, #"{"client_id":""}"#, "malformed"),
            (201, #"{"client_id":"a\u0000"}"#, "malformed"),
            (201, #"{"client_id":"c""#, "malformed"),
            (400, #"{"error":"invalid_redirect_uri"}"#, "malformed invalid_redirect_uri"),
            (401, "", "misconfigured"), (503, "", "transient"),
        ]
    )
    func reads(status: Int, body: String, outcome: String) {
        let answer = ClientRegistration.read(
            HTTPResponse(status: status, body: Secret(body)),
            countingFrom: .distantPast
        )
        switch answer {
        case .registered(let client):
            let secret = client.secret?.reveal { $0 } ?? "-"
            #expect("\(client.id.rawValue) \(client.authentication.rawValue) \(secret)" == outcome)
        case .refused(let error):
            let words = [error.class.corpusName, error.code].compactMap { $0 }
            #expect(words.joined(separator: " ") == outcome)
        }
    }
}
