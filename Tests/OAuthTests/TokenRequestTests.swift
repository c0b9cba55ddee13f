import FoundationEssentials
import OAuth
import Testing
import VaultCrypto

@Suite struct TokenRequestTests {
    @Test("builds what the corpus asks for", arguments: TokenRequestRow.covered)
    func corpus(row: TokenRequestRow) throws {
        let endpoint = try EndpointURL("https://as.example/token")
        let request = try #require(row.request(to: endpoint))
        let found = try #require(BuiltRequest(request))
        let expected = ContestedChoices.decision(row.id, row.expect, row.alternatives)
        #expect(found.matches(expected), "\(found)")
        #expect(request.url == endpoint)
    }

    @Test func putsParametersIntoAnAddressNever() {
        // Bullhorn wants a refresh token in the query, where servers and proxies log it.
        #expect(
            TokenRequestRow.all.map(\.id).filter { !TokenRequestRow.coveredIDs.contains($0) } == [
                "rq-query-01"
            ]
        )
    }

    @Test func presentsACodeWithItsProof() throws {
        let request = TokenRequest.authorizationCode(
            Secret("c/1"),
            redirectURI: "http://127.0.0.1:7/cb",
            codeVerifier: Secret("v~1"),
            client: Client(id: ClientID(rawValue: "cid")),
            endpoint: try EndpointURL("https://as.example/token")
        )
        let found = try #require(BuiltRequest(request))
        #expect(
            found.form == [
                "grant_type": "authorization_code", "code": "c/1", "client_id": "cid",
                "redirect_uri": "http://127.0.0.1:7/cb", "code_verifier": "v~1",
            ]
        )
    }

    @Test func encodesBasicCredentialsAsAFormFirst() throws {
        let client = Client(
            id: ClientID(rawValue: "a:b c"),
            secret: Secret("s%&"),
            authentication: .clientSecretBasic
        )
        let request = TokenRequest.clientCredentials(
            client: client,
            endpoint: try EndpointURL("https://as.example/token")
        )
        let expected = Data("a%3Ab+c:s%25%26".utf8).base64EncodedString()
        #expect(BuiltRequest(request)?.headers["authorization"] == "Basic \(expected)")
    }

    @Test func escapesJSONBodies() throws {
        let request = TokenRequest.refresh(
            Secret("a\"b\\c\u{1f}\n/é"),
            client: Client(id: ClientID(rawValue: "cid")),
            endpoint: try EndpointURL("https://as.example/token"),
            format: .json
        )
        #expect(BuiltRequest(request)?.json["refresh_token"] == "a\"b\\c\u{1f}\n/é")
    }

    @Test func printsNoSecret() throws {
        let client = Client(
            id: ClientID(rawValue: "cid"),
            secret: Secret("canary-1"),
            authentication: .clientSecretBasic
        )
        let request = TokenRequest.refresh(
            Secret("canary-2"),
            client: client,
            endpoint: try EndpointURL("https://as.example/t")
        )
        var dumped = "\(request) \(client)"
        dump(request, to: &dumped)
        #expect(!dumped.contains("canary"))
    }
}

/// A request taken apart again.
struct BuiltRequest {
    let method: String
    let headers: [String: String]
    let form: [String: String]
    let json: [String: String]

    init?(_ request: HTTPRequest) {
        method = request.method.rawValue
        headers = Dictionary(
            uniqueKeysWithValues: request.headers.map { header in
                (header.name.lowercased(), header.value.reveal { $0 })
            }
        )
        guard let body = request.body?.reveal({ $0 }) else { return nil }
        if headers["content-type"] == "application/json" {
            let decoded = try? JSONDecoder().decode([String: String].self, from: Data(body.utf8))
            guard let decoded else { return nil }
            (json, form) = (decoded, [:])
        } else {
            guard let pairs = FormDecoding.pairs(body.utf8.span) else { return nil }
            form = Dictionary(uniqueKeysWithValues: pairs.map { ($0.name, $0.value.reveal { $0 }) })
            json = [:]
        }
    }

    func matches(_ expected: TokenRequestRow.Expected) -> Bool {
        method == expected.method
            && expected.headers.allSatisfy { headers[$0.key.lowercased()] == $0.value }
            && (expected.absent_headers ?? []).allSatisfy { headers[$0.lowercased()] == nil }
            && form == expected.form ?? [:] && json == expected.json ?? [:]
            && expected.absent_body_params.allSatisfy { form[$0] == nil && json[$0] == nil }
    }
}

struct TokenRequestRow: Decodable, Sendable, CustomTestStringConvertible {
    struct Registration: Decodable, Sendable {
        let id: String
        let secret: String?
        let auth: String
    }

    struct Grant: Decodable, Sendable {
        let type: String
        let refresh_token: String?
        let device_code: String?
        let scope: [String]?
    }

    struct Profile: Decodable, Sendable {
        let body_format: String?
        let refresh_params: [String: String]?
        let token_params: [String: String]?
    }

    struct Expected: Decodable, Sendable {
        let method: String
        let headers: [String: String]
        let absent_body_params: [String]
        let absent_headers: [String]?
        let form: [String: String]?
        let json: [String: String]?
    }

    let id: String
    let client: Registration
    let grant: Grant
    let needs_profile: Profile?
    let expect: Expected
    let alternatives: [Expected]?

    var testDescription: String { id }

    static let all = Corpus.rows("token_requests.jsonl", as: TokenRequestRow.self)
    static let covered = all.filter { $0.needs_profile?.body_format != "query" }
    static let coveredIDs = Set(covered.map(\.id))

    func request(to endpoint: EndpointURL) -> HTTPRequest? {
        let registration = Client(
            id: ClientID(rawValue: client.id),
            secret: client.secret.map { Secret($0) },
            authentication: ClientAuthentication(rawValue: client.auth) ?? .none
        )
        let extra = (needs_profile?.refresh_params ?? [:])
            .merging(needs_profile?.token_params ?? [:]) { $1 }.map { ($0.key, $0.value) }
        let format = needs_profile?.body_format.flatMap(TokenRequest.BodyFormat.init) ?? .form
        let scope = grant.scope.map { Scope($0) }
        if let token = grant.refresh_token {
            return TokenRequest.refresh(
                Secret(token),
                client: registration,
                endpoint: endpoint,
                scope: scope,
                extra: extra,
                format: format
            )
        }
        if let code = grant.device_code {
            return TokenRequest.deviceCode(
                Secret(code),
                client: registration,
                endpoint: endpoint,
                extra: extra,
                format: format
            )
        }
        return TokenRequest.clientCredentials(
            client: registration,
            endpoint: endpoint,
            scope: scope,
            extra: extra,
            format: format
        )
    }
}
