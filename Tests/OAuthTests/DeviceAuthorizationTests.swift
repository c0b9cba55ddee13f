import FoundationEssentials
import OAuth
import Testing
import VaultCrypto

/// One line of `device_authorization.jsonl`.
struct DeviceAuthorizationRow: Decodable, Sendable, CustomTestStringConvertible {
    struct Expected: Decodable, Sendable {
        let ok: Bool
        let device_code: String?
        let user_code: String?
        let verification_uri: String?
        let verification_uri_complete: String?
        let expires_at: Double?
        let interval: Double?
        let `class`: String?
        let oauth_error: String?
    }

    let id: String
    let http_status: Int
    let headers: [String: String]
    let body: String
    let received_at: Double
    let expect: Expected
    let alternatives: [Expected]?

    var testDescription: String { id }

    static let all = Corpus.rows("device_authorization.jsonl", as: Self.self)

    var answer: DeviceAuthorization.Answer {
        DeviceAuthorization.read(
            HTTPResponse(
                status: http_status,
                headers: headers.map { (name: $0.key, value: $0.value) },
                body: Secret(body)
            ),
            countingFrom: Date(timeIntervalSince1970: received_at)
        )
    }

    /// The value the vault decides for.
    var decision: Expected { ContestedChoices.decision(id, expect, alternatives) }
}

@Suite struct DeviceAuthorizationTests {
    @Test func hasEveryLine() {
        #expect(DeviceAuthorizationRow.all.count == 14)
    }

    @Test("reads the corpus", arguments: DeviceAuthorizationRow.all)
    func corpus(row: DeviceAuthorizationRow) {
        let expected = row.decision
        switch row.answer {
        case .granted(let found):
            #expect(expected.ok)
            #expect(found.deviceCode.reveal { $0 } == expected.device_code)
            #expect(found.userCode == expected.user_code)
            #expect(found.verificationURI.string == expected.verification_uri)
            #expect(found.verificationURIComplete?.string == expected.verification_uri_complete)
            #expect(row.received_at + found.lifetime == expected.expires_at)
            #expect(found.interval == expected.interval)
        case .refused(let error):
            #expect(!expected.ok)
            #expect(error.class.corpusName == expected.class)
            if let code = expected.oauth_error { #expect(error.code == code) }
            #expect(error.status == row.http_status)
        }
    }

    @Test(
        "refuses a code that is not for people, and addresses that are not for codes",
        arguments: [
            (#""user_code":"A\u202eB","verification_uri":"https://a.example/d""#, false),
            (#""user_code":" A","verification_uri":"https://a.example/d""#, false),
            (#""user_code":"","verification_uri":"https://a.example/d""#, false),
            (#""user_code":7,"verification_uri":"https://a.example/d""#, false),
            (#""user_code":"AB CD","verification_uri":"https://a.example/d""#, true),
            (#""user_code":"A","verification_uri":"http://a.example/d""#, false),
            (#""user_code":"A","verification_uri":"http://127.0.0.1:1/d""#, true),
            (#""user_code":"A","verification_uri":"https://u@a.example/d""#, false),
            (#""user_code":"A","verification_uri":"javascript:alert(1)""#, false),
            (#""user_code":"A","verification_uri":"https://a.example/$(id) d""#, false),
        ]
    )
    func hostile(members: String, isTaken: Bool) {
        let response = HTTPResponse(
            status: 200,
            body: Secret(#"{"device_code":"d","expires_in":600,\#(members)}"#)
        )
        switch DeviceAuthorization.read(response, countingFrom: .distantPast) {
        case .granted: #expect(isTaken)
        case .refused(let error):
            #expect(!isTaken)
            #expect(error.class == .ambiguous(.malformed))
        }
    }

    @Test("names the client, and proves it in one place", arguments: ClientAuthentication.allCases)
    func request(authentication: ClientAuthentication) throws {
        let secret = authentication == .none ? nil : Secret("s")
        let request = DeviceAuthorization.request(
            client: Client(
                id: ClientID(rawValue: "c"),
                secret: secret,
                authentication: authentication
            ),
            endpoint: try EndpointURL("https://as.example/device"),
            scope: Scope(["a", "b"]),
            scopeSeparator: ",",
            extra: [("audience", "x"), ("client_secret", "no"), ("scope", "no")]
        )
        let form = request.body?.reveal { $0 }
        let isPost = authentication == .clientSecretPost
        #expect(form == "client_id=c\(isPost ? "&client_secret=s" : "")&scope=a%2Cb&audience=x")
        let header = request.headers.first { $0.name == "Authorization" }
        #expect((header != nil) == (authentication == .clientSecretBasic))
    }
}
