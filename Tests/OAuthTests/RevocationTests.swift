import FoundationEssentials
import OAuth
import Testing
import VaultCrypto

@Suite struct RevocationTests {
    @Test("K08: reads the corpus", arguments: RevocationRow.all)
    func corpus(row: RevocationRow) {
        let received = Date(timeIntervalSince1970: row.received_at)
        switch RevocationReader().read(row.response, received: received) {
        case .revoked, .unknown: #expect(row.expect.outcome == "revoked")
        case .failed(let error):
            #expect(row.expect.outcome == "failed")
            #expect(error.class.corpusName == row.expect.class)
            if let code = row.expect.oauth_error { #expect(error.code == code) }
            #expect(error.retryAfter == row.expect.retry_after_s)
            #expect(error.status == row.http_status)
        }
    }

    @Test func theCorpusIsWhole() {
        #expect(RevocationRow.all.count == 15)
    }

    @Test("a token is kept out of what the server says of it")
    func echo() throws {
        let body = #"{"error":"server_error","error_description":"secret-1 is known"}"#
        let answer = RevocationReader().read(
            HTTPResponse(status: 503, body: Secret(body)),
            received: Date(timeIntervalSince1970: 0),
            presented: Secret("secret-1")
        )
        guard case .failed(let error) = answer else { throw Unexpected() }
        #expect(error.description == "<redacted> is known")
    }

    private struct Unexpected: Error {}

    @Test("a client authenticates at the revocation endpoint as at the token endpoint")
    func request() {
        for (authentication, parameters, hasBasic) in [
            (.none, ["token", "token_type_hint", "client_id"], false),
            (.clientSecretPost, ["token", "token_type_hint", "client_id", "client_secret"], false),
            (.clientSecretBasic, ["token", "token_type_hint"], true),
        ] as [(ClientAuthentication, [String], Bool)] {
            let request = RevocationRequest.make(
                Secret("a token"),
                hint: .refreshToken,
                client: Client(
                    id: ClientID(rawValue: "client"),
                    secret: authentication == .none ? nil : Secret("secret"),
                    authentication: authentication
                ),
                endpoint: EndpointURL(unchecked: "https://as.example/revoke")
            )
            let pairs = request.body?.withBytes { FormDecoding.pairs($0) } ?? []
            #expect(pairs.map(\.name) == parameters)
            #expect(pairs[0].value == Secret("a token"))
            #expect(pairs[1].value == Secret("refresh_token"))
            #expect(request.headers.contains { $0.name == "Authorization" } == hasBasic)
            #expect(request.method == .post && request.url.string == "https://as.example/revoke")
        }
    }
}

extension RevocationTests {
    private static let confidential = Client(
        id: ClientID(rawValue: "client"),
        secret: Secret("secret"),
        authentication: .clientSecretBasic
    )

    @Test(
        "a provider's own form has what it wants, and nothing else",
        arguments: [
            (.clientID, "token=a+token&token_type_hint=access_token&client_id=client", nil),
            (.accessToken, "access_token=a+token", nil), (.bearer, "", "Bearer a token"),
        ] as [(ProviderRevocation.Form, String, String?)]
    )
    func form(form: ProviderRevocation.Form, body: String, authorization: String?) {
        let request = RevocationRequest.make(
            Secret("a token"),
            hint: .accessToken,
            client: Self.confidential,
            endpoint: EndpointURL(unchecked: "https://as.example/revoke"),
            form: form
        )
        #expect(request.body?.reveal { $0 } == body)
        let header = request.headers.first { $0.name == "Authorization" }
        #expect(header?.value.reveal { $0 } == authorization)
    }

    @Test("a provider that takes JSON is sent JSON")
    func json() {
        let request = RevocationRequest.make(
            Secret("t"),
            hint: .refreshToken,
            client: Self.confidential,
            endpoint: EndpointURL(unchecked: "https://as.example/revoke"),
            format: .json
        )
        #expect(
            request.body?.reveal { $0 } == #"{"token":"t","token_type_hint":"refresh_token"}"#
        )
        #expect(request.headers.contains { $0.name == "Authorization" })
        let type = request.headers.first { $0.name == "Content-Type" }
        #expect(type?.value == Secret("application/json"))
    }
}

/// One line of `revocation.jsonl`.
struct RevocationRow: Decodable, Sendable, CustomTestStringConvertible {
    struct Expected: Decodable, Sendable {
        let outcome: String
        let `class`: String?
        let oauth_error: String?
        let retry_after_s: Double?
    }

    let id: String
    let http_status: Int
    let headers: [String: String]
    let body: String
    let received_at: Double
    let expect: Expected

    var testDescription: String { id }

    static let all = Corpus.rows("revocation.jsonl", as: RevocationRow.self)

    var response: HTTPResponse {
        HTTPResponse(
            status: http_status,
            headers: headers.map { (name: $0.key, value: $0.value) },
            body: Secret(body)
        )
    }
}
