import OAuth
import Testing
import VaultCrypto

@testable import VaultStore

/// The request that refreshes an account is made of what is sealed with it.
@Suite struct AccountRefreshTests {
    private static let endpoint = EndpointURL(unchecked: "https://issuer.example/token")

    private func settings(
        _ refresh: RefreshOptions = RefreshOptions(),
        scope: [String] = ["mail", "openid"]
    ) -> AccountSettings {
        AccountSettings(
            name: "work",
            client: Client(id: ClientID(rawValue: "cid")),
            tokenEndpoint: Self.endpoint,
            requestedScope: Scope(scope),
            refresh: refresh
        )
    }

    private func form(_ request: HTTPRequest) throws -> [String: String] {
        let body = try #require(request.body?.reveal { $0 })
        let pairs = FormDecoding.pairs(body.utf8.span) ?? []
        // A parameter twice is an error to many servers.
        #expect(Set(pairs.map(\.name)).count == pairs.count)
        return Dictionary(pairs.map { ($0.name, $0.value.reveal { $0 }) }) { $1 }
    }

    private let plain = [
        "grant_type": "refresh_token", "refresh_token": "rt", "client_id": "cid",
    ]

    @Test func withoutOptionsItIsTheStandards() throws {
        let request = settings().refreshRequest(Secret("rt"))
        #expect(try form(request) == plain)
        #expect(request.url == Self.endpoint)
    }

    @Test func b16TheScopeIsNamedWhereTheServerWantsIt() throws {
        let request = settings(RefreshOptions(sendsScope: true)).refreshRequest(Secret("rt"))
        #expect(try form(request) == plain.merging(["scope": "mail openid"]) { $1 })
        // Nothing was asked for, so there is nothing to name.
        let none = settings(RefreshOptions(sendsScope: true), scope: [])
        #expect(try form(none.refreshRequest(Secret("rt"))) == plain)
    }

    @Test func whatIsAskedForStandsAboveTheOptions() throws {
        let options = RefreshOptions(
            parameters: [
                RequestParameter("resource", "https://a.example"),
                RequestParameter("scope", "everything"),
            ],
            sendsScope: true
        )
        let account = settings(options)
        #expect(
            try form(account.refreshRequest(Secret("rt")))
                == plain.merging(["resource": "https://a.example", "scope": "everything"]) { $1 }
        )
        let asked = account.refreshRequest(
            Secret("rt"),
            scope: Scope(["mail"]),
            resource: "https://b.example/x?y"
        )
        #expect(
            try form(asked)
                == plain.merging(["resource": "https://b.example/x?y", "scope": "mail"]) { $1 }
        )
    }

    @Test func itGoesToTheRefreshEndpoint() throws {
        let elsewhere = try EndpointURL("https://issuer.example/refresh")
        let request = settings(RefreshOptions(endpoint: elsewhere)).refreshRequest(Secret("rt"))
        #expect(request.url == elsewhere)
        // The catalogue's word counts when the account is added, never later.
        for name in ProviderCatalogue.builtIn.names {
            #expect(settings(RefreshOptions(provider: name)).refreshEndpoint == Self.endpoint)
        }
    }

    @Test(
        "a parameter replaces neither grant nor client",
        arguments: RequestParameter.reservedNames
    )
    func reserved(name: String) throws {
        let options = RefreshOptions(parameters: [RequestParameter(name, "planted")])
        #expect(try form(settings(options).refreshRequest(Secret("rt"))) == plain)
    }

    @Test func aRecordWithoutOptionsIsWhatItWas() throws {
        let record = AccountRecord.encode(settings()).reveal { $0 }
        #expect(
            record == #"{"client_authentication":"none","client_id":"cid","name":"work","#
                + #""scope":["mail","openid"],"token_endpoint":"https://issuer.example/token"}"#
        )
        #expect(try AccountRecord.decode(Secret(record)) == settings())
    }

    @Test(
        "a record with options that are none does not open",
        arguments: [
            #""rotation":"sometimes""#, #""rotation":1"#, #""sends_scope":"yes""#,
            #""refresh_parameters":["a"]"#, #""refresh_parameters":[["a"]]"#,
            #""refresh_parameters":{}"#, #""provider":null"#, #""refresh_endpoint":7"#,
            #""tags":"a""#, #""tags":[1]"#, #""tags":[""]"#, #""tags":["a","a"]"#,
        ]
    )
    func malformed(member: String) {
        let record = """
            {"client_authentication":"none","client_id":"cid","name":"work",\(member),\
            "token_endpoint":"https://issuer.example/token"}
            """
        #expect(throws: SealingError.self) { try AccountRecord.decode(Secret(record)) }
    }
}
