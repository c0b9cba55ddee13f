internal import FoundationEssentials
internal import OAuth
internal import VaultCrypto

/// What the fuzzer and the mutations begin with: the corpora of the tests, and a few by hand.
package enum Seeds {
    /// Larger ones slow everything down and show nothing that a smaller one does not.
    private static let limit = 4096

    package static func of(_ parser: Parser) -> [[UInt8]] {
        let found =
            switch parser {
            case .tokenAnswer: tokenAnswers
            case .accessTokenExpiry: rows("jwt_expiry").compactMap { $0["token"]?.text }.map(bytes)
            case .revocationAnswer: rows("revocation").compactMap(body).map { [1] + $0 }
            case .identity: identities.map(bytes)
            case .json: rows("token_responses").compactMap(body) + documents + [bytes(account)]
            case .form: rows("token_responses").compactMap(body) + targets.map(query)
            case .retryAfter: dates.map(bytes) + ["120", "1.5", "0", "-1"].map(bytes)
            case .date: isoDates.map(bytes) + dates.map(bytes)
            case .scope: ["openid email", "a\u{3000}b  a", "a,b", "\t x\n"].map(bytes)
            case .endpointURL: urls
            case .proxyURL: urls + ["http://p.example:3128", "SOCKS5h://[::1]:1080/"].map(bytes)
            case .certificates:
                ["-----BEGIN CERTIFICATE-----\r\nMIIBAA==\n-----END CERTIFICATE-----\nwords"]
                    .map(bytes)
            case .challenge: challenges
            case .discovery: documents
            case .authorizationRedirect: targets
            case .deviceAuthorization: rows("device_authorization").compactMap(body)
            case .clientRegistration: registrations
            case .exportArmor: armored
            case .accountExport: [bytes(account)]
            case .configuration: configurations
            case .providers: providers
            case .version: versions
            case .accept: accepts
            case .eventLine: eventLines
            case .keyring: keyrings
            case .accountRecord: accountRecords
            case .tokenRecord: tokenRecords
            case .intentRecord: intentRecords
            }
        return found.filter { $0.count <= limit }
    }

    /// Writes a file for each seed of each parser.
    package static func write(to directory: String) throws {
        let files = FileManager.default
        for parser in Parser.allCases {
            let folder = "\(directory)/\(parser.rawValue)"
            try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for (index, seed) in of(parser).enumerated() {
                try Data(seed).write(to: URL(filePath: "\(folder)/seed-\(index)"))
            }
        }
    }

    // MARK: - By hand

    private static let dates = [
        "Fri, 31 Dec 1999 23:59:59 GMT\nFri, 31 Dec 1999 23:59:00 GMT",
        "Friday, 31-Dec-99 23:59:59 GMT", "Fri Dec 31 23:59:59 1999",
    ]
    private static let isoDates = [
        "2025-10-09T08:53:20.5+02:00", "2025-10-09t08:53:20z", "2024-02-29 23:59:60-1130",
        "1760003600", "1760003600000", "1e12",
    ]
    private static let identities = [
        #"{"sub":"4711","email":"me@as.example","name":"M\u202e E"}"#,
        "eyJhbGciOiJub25lIn0.eyJpc3MiOiJhcy5leGFtcGxlIiwiYXVkIjoiY2xpZW50IiwiZXhwIjoyZTksInN1YiI6InMifQ.",
    ]
    private static let urls = [
        "https://op.example", "http://[::1]:8080/cb?x=%41", "http://127.0.0.1:1/",
        "https://a.b:443",
        "http://localhost/a", "https://xn--bcher-kva.example/token/", "https://[2001:db8::1]/",
        "https://127.1/", "https://0x7f000001", "https://EXAMPLE.com./a/../b",
    ].map(bytes)
    private static let challenges = [
        "Bearer", #"Bearer realm="api", error="invalid_token""#,
        #"Basic realm="a, b", Bearer error=insufficient_scope, scope="x y""#,
        #"DPoP algs="ES256", Bearer error="in\"valid", error_description="\\""#,
        "Negotiate YIIab+/c==, bearer error=invalid_token",
    ].map(bytes)
    private static let registrations = [
        #"{"client_id":"c"}"#, #"{"client_id":"c","client_secret":"CANARY-cs"}"#,
        #"{"client_id":"c","client_secret":"s","token_endpoint_auth_method":"client_secret_post"}"#,
        #"{"error":"invalid_client_metadata","error_description":"no \u001b[2J"}"#,
    ].map(bytes)
    private static let configurations = [
        "{}", #"{"on_event": "/usr/bin/\u0074ell", "limits": {}}"#, #"{"on_event": "/a/../b"}"#,
        "{\n\"limits\": {\n\"a.example\": {\"requests\": 3, \"seconds\": 1.5e1}}}",
        #"{"limits": {"A.example": {"requests": -0, "seconds": 0}}, "other": [null, true]}"#,
        #"{"defaults": {"proxy": "http://u@p:1", "ca_file": "/a", "client_certificate": "/c"}}"#,
        #"{"defaults": {"proxy": "socks5h://[::1]:1/", "parameters": {"audience": "\u00e9"}}}"#,
    ].map(bytes)
    private static let providers = [
        "{}", "acme", "a.b:1", #"{"a": {"title": "A", "issuer": "https://{x}.a.example/{y}"}}"#,
        #"{"a": {"title": "A", "token_endpoint": "https://a.example/t", "rotation": "grace:5"}}"#,
        #"""
        {"a":{"title":"A","hosts":["*.a.example"],"parameters":{"x":"X","y":"Y"},
        "token_endpoint":"https://{x}.a.example/{y}/t","pkce":false,"default_scope":["a"],
        "revocation":{"endpoint":"https://r.a.example","form":"bearer"},
        "quirks":{"error_texts":[{"text":"gone away","code":"x","meaning":"throttled"}]}}}
        """#,
    ].map(bytes)
    private static let versions = ["0.1.0", "1", "1.2.3.4-rc.1+b", "01.0", "9223372036854775808.1"]
        .map(bytes)
    private static let accepts = [
        "*/*", "text/html, application/*;q=0.8", "application/json;q=0, */*;\tq=0.1\nx/y",
        #"text/html;x=", application/json\"", application/x-ndjson;q=0.000"#, ",;,",
    ].map(bytes)
    private static let eventLines = [
        #"{"kind":"alive"}"#, #"{"kind":"closed","reason":"locked"}"#, #"{"kind":"missed"}"#,
        #"{"account":"work","expiresAt":"2026-01-01T00:00:00Z","generation":3,"kind":"refreshed"}"#,
        #"{"account":"work","kind":"state_changed","position":7,"state":"paused"}"#,
        #"{"account":"work","code":"unreachable","kind":"refresh_failed"}"#,
        #"{"account":"work","kind":"sign_in_needed","position":-1}"#,
        #"{"account":"work","kind":"newer","position":8}"#,
    ].map(bytes)
    private static let account = #"""
        {"format":"vault-export","version":1,"exported_at":1760000000.25,"moved":false,
        "vault_id":"000102030405060708090a0b0c0d0e0f","accounts":[{"account_id":
        "101112131415161718191a1b1c1d1e1f","generation":3,"settings":{"name":"work",
        "token_endpoint":"https://op.example/token","client_id":"c","client_secret":"CANARY-cs",
        "client_authentication":"client_secret_basic","issuer":"https://op.example",
        "requested_scope":["a","b"]},"tokens":{"refresh_token":"CANARY-rt","id_token":"CANARY-id",
        "access_tokens":[{"access_token":"CANARY-at","token_type":"Bearer","lifetime":3600.0,
        "scope":["a"],"obtained":{"boot_id":"","uptime":0.0,"wall":1760000000.5}}],
        "previous":{"refresh_token":"CANARY-old","until":1760086400.0}}}]}
        """#

    // MARK: - From the corpora

    private static var tokenAnswers: [[UInt8]] {
        rows("token_responses").compactMap { row in
            guard let body = body(row), let status = row["http_status"]?.double else { return nil }
            let grant: GrantType =
                switch row["request_context"]?.text {
                case "code": .authorizationCode
                case "device": .deviceCode
                case "client_credentials": .clientCredentials
                default: .refreshToken
                }
            return AnswerSetting.bytes(grantType: grant, status: Int(status)) + body
        } + [
            AnswerSetting.bytes(grantType: .refreshToken, status: 400)
                + bytes(
                    #"{"error":"invalid_grant","error_description":"CANARY-4f9a1c77e2 is used"}"#
                )
        ]
    }

    private static var documents: [[UInt8]] {
        rows("discovery").flatMap { row in
            (row["responses"]?.object ?? [:]).values.compactMap { $0.object?["body"]?.text }
                // All are documents of the one issuer that is asked.
                .map { bytes($0.replacing(row["issuer"]?.text ?? "-", with: Check.issuer)) }
        }
    }

    private static var targets: [[UInt8]] {
        rows("authz_redirects").flatMap { row in
            (row["requests"]?.array ?? []).compactMap { $0.object?["target"]?.text }.map(bytes)
        }
    }

    private static var armored: [[UInt8]] {
        let vectors = JSONReader.read(Secret(bytes: read("VaultCryptoTests/Fixtures/export.json")))
        return (vectors.value.array ?? []).compactMap { $0.object?["text"]?.text }.map(bytes)
    }

    private static func query(_ target: [UInt8]) -> [UInt8] {
        Array(target.drop { $0 != UInt8(ascii: "?") }.dropFirst())
    }

    private static func body(_ row: [String: JSONValue]) -> [UInt8]? {
        row["body"]?.text.map(bytes)
    }

    private static func rows(_ name: String) -> [[String: JSONValue]] {
        read("OAuthTests/Fixtures/\(name).jsonl").split(separator: UInt8(ascii: "\n")).compactMap {
            JSONReader.read(Secret(bytes: Array($0))).value.object
        }
    }

    private static func read(_ path: String) -> [UInt8] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../..").standardized
        return (try? Data(contentsOf: tests.appending(path: path))).map { Array($0) } ?? []
    }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
}
