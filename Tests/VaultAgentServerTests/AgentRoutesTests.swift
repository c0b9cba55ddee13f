import FoundationEssentials
import Platform
import Testing
import VaultAgentClient
import VaultHTTPServer
import VaultKit

@testable import VaultAgentServer

@Suite struct AgentRoutesTests {
    @Test func saysWhoItIs() async throws {
        let agent = try await AgentFixture.make()
        let answer = await agent.answer("GET", "/v1/status")
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "application/json")
        #expect(answer.header("Cache-Control") == "no-store")
        let document = try WireJSON.decode(AgentStatusDocument.self, from: answer.body)
        #expect(document.agent.running && document.agent.version == VaultVersion.current)
        #expect(document.agent.pid == ProcessIdentity.current)
        await agent.service.stop()
    }

    @Test func addsListsServesRefreshesAndRemoves() async throws {
        let agent = try await AgentFixture.make()
        let added = await agent.answer("POST", "/v1/accounts", body: Addition().json)
        #expect(added.status == 201)
        let change = try WireJSON.decode(ChangeDocument.self, from: added.body)
        #expect(change.renewable && change.generation == 1)
        #expect(change.account.name == "work" && change.account.current == true)

        let token = await agent.answer("GET", "/v1/accounts/work/token")
        let first = try WireJSON.decode(TokenDocument.self, from: token.body)
        #expect(token.status == 200 && first.warning == nil)
        #expect(first.accessToken == "canary-access" && first.tokenType == "Bearer")
        #expect(agent.server.exchanges.isEmpty)

        agent.server.answerNext(
            200,
            #"{"access_token":"new-access","token_type":"Bearer","expires_in":7200}"#
        )
        let refreshed = await agent.answer("POST", "/v1/accounts/work/refresh")
        #expect(refreshed.status == 200 && !refreshed.text.contains("new-access"))
        #expect(agent.server.exchanges.count == 1)
        #expect(agent.server.exchanges[0].contains("refresh_token=canary-refresh"))
        let second = await agent.answer("GET", "/v1/accounts/work/token")
        #expect(second.text.contains(#""accessToken":"new-access""#))
        #expect(second.text.contains(#""generation":2"#))

        let list = await agent.answer("GET", "/v1/accounts")
        let names = try WireJSON.decode(AccountListDocument.self, from: list.body).accounts.map(
            \.name
        )
        #expect(names == ["work"])
        for answer in [added, refreshed, list] { expectNoSecret(answer) }

        #expect(await agent.answer("DELETE", "/v1/accounts/work").status == 204)
        #expect(await agent.answer("GET", "/v1/accounts/work/token").status == 404)
        #expect(await agent.answer("DELETE", "/v1/accounts/work").status == 404)
        await agent.service.stop()
    }

    @Test func whatRefreshesHaveOfTheirOwnIsKeptWithTheAccount() async throws {
        let agent = try await AgentFixture.make()
        var addition = Addition()
        addition.tokenEndpoint = "https://api.figma.com/v1/oauth/token"
        addition.refresh = .init(
            provider: "figma",
            parameters: [.init(name: "a", value: "1")],
            sendsScope: true
        )
        #expect(await agent.answer("POST", "/v1/accounts", body: addition.json).status == 201)
        let kept = try await agent.vault.registration(of: "work")?.refresh
        #expect(
            try kept
                == RefreshOptions(
                    provider: "figma",
                    rotation: RefreshTokenRotation.none,
                    parameters: [RequestParameter("a", "1")],
                    sendsScope: true,
                    endpoint: EndpointURL("https://api.figma.com/v1/oauth/refresh")
                )
        )
        await agent.service.stop()
    }

    @Test func accountsAreFoundByTheirTags() async throws {
        let agent = try await AgentFixture.make()
        for (name, tags) in [("a", ["x", "y z&"]), ("b", ["y z&"]), ("c", nil)] {
            var addition = Addition()
            addition.name = name
            addition.tags = tags
            addition.tokenResponse = #"{"access_token":"a","refresh_token":"\#(name)"}"#
            #expect(await agent.answer("POST", "/v1/accounts", body: addition.json).status == 201)
        }
        let rows = [
            ("", "abc"), ("?tag=y+z%26", "ab"), ("?tag=y%20z%26&tag=x", "a"), ("?tag=z", ""),
        ]
        for (query, names) in rows {
            let answer = await agent.answer("GET", "/v1/accounts" + query)
            let list = try WireJSON.decode(AccountStatusListDocument.self, from: answer.body)
            #expect(list.accounts.map(\.account.name).joined() == names)
        }
        let wrong = await agent.answer("GET", "/v1/accounts?tag=")
        try expect(wrong, "invalid_input", ["field": "tags"])
        let query = (0...32).map { "tag=\($0)" }.joined(separator: "&")
        let many = await agent.answer("GET", "/v1/accounts?" + query)
        try expect(many, "invalid_input", ["field": "tags", "wanted": "at most 32"])
        let body = #"{"add":["new"],"remove":["x","none"]}"#
        #expect(await agent.answer("POST", "/v1/accounts/a/tags", body: body).status == 204)
        #expect(try await agent.vault.account("a").tags == ["new", "y z&"])
        let refused = [
            (#"{"add":["a "],"remove":[]}"#, ["field": "tags"]),
            (#"{"add":[]}"#, ["field": "remove"]), (#"{"add":"a","remove":[]}"#, ["field": "add"]),
            (#"{"add":[],"remove":[],"put":[]}"#, ["field": "put", "reason": "unknown"]),
        ]
        for (body, facts) in refused {
            let answer = await agent.answer("POST", "/v1/accounts/a/tags", body: body)
            #expect(answer.status == 400)
            try expect(answer, "invalid_input", facts)
        }
        #expect(await agent.answer("POST", "/v1/accounts/none/tags", body: body).status == 404)
        await agent.service.stop()
    }

    @Test func d11AnAccountSaysWhenItIsRenewed() async throws {
        let agent = try await AgentFixture.make()
        var addition = Addition()
        addition.renewal = "manual"
        #expect(await agent.answer("POST", "/v1/accounts", body: addition.json).status == 201)
        #expect(try await agent.vault.account("work").renewal == .manual)
        let target = "/v1/accounts/work/renewal"
        let change = await agent.answer("POST", target, body: #"{"renewal":"eager"}"#)
        #expect(change.status == 204)
        let shown = await agent.answer("GET", "/v1/accounts/work")
        let document = try WireJSON.decode(OneAccountDocument.self, from: shown.body).account
        #expect(document.account.renewal == "eager" && document.account.grantEndsAt == nil)
        for body in [#"{"renewal":"never"}"#, #"{"renewal":1}"#, "{}"] {
            try expect(
                await agent.answer("POST", target, body: body),
                "invalid_input",
                ["field": "renewal"]
            )
        }
        let none = "/v1/accounts/none/renewal"
        #expect(await agent.answer("POST", none, body: #"{"renewal":"eager"}"#).status == 404)
        addition.renewal = "seldom"
        let wrong = await agent.answer("POST", "/v1/accounts", body: addition.json)
        try expect(wrong, "invalid_input", ["field": "renewal"])
        await agent.service.stop()
    }

    @Test func b16EachRefreshHasWhatTheAccountSays() async throws {
        let agent = try await AgentFixture.make()
        var addition = Addition()
        addition.refresh = .init(
            parameters: [.init(name: "audience", value: "b c")],
            sendsScope: true,
            endpoint: "https://as.example/refresh/token"
        )
        _ = await agent.answer("POST", "/v1/accounts", body: addition.json)
        for generation in 2...3 {
            agent.server.answerNext(
                200,
                #"{"access_token":"at-\#(generation)","token_type":"Bearer","expires_in":7200}"#
            )
            let refreshed = await agent.answer("POST", "/v1/accounts/work/refresh")
            #expect(refreshed.status == 200)
        }
        #expect(agent.server.exchanges.count == 2)
        #expect(agent.server.asked.allSatisfy { $0.url == "https://as.example/refresh/token" })
        for body in agent.server.exchanges {
            #expect(body.contains("scope=a&") || body.hasSuffix("scope=a"))
            #expect(body.contains("audience=b+c"))
        }
        await agent.service.stop()
    }

    @Test func anAnswerIsReadAsTheCatalogueSays() async throws {
        let agent = try await AgentFixture.make()
        var addition = Addition()
        addition.tokenResponse = #"{"token":"canary-access","refreshToken":"canary-refresh"}"#
        addition.refresh = .init(provider: "sentry")
        let added = await agent.answer("POST", "/v1/accounts", body: addition.json)
        #expect(try WireJSON.decode(ChangeDocument.self, from: added.body).renewable)
        let token = await agent.answer("GET", "/v1/accounts/work/token")
        #expect(token.text.contains("canary-access"))
        await agent.service.stop()
    }

    @Test(
        "refuses options of another kind",
        arguments: [
            ("7", ""), ("[]", ""), (#""strict""#, ""), (#"{"provider":7}"#, ".provider"),
            (#"{"rotation":["strict"]}"#, ".rotation"), (#"{"sendsScope":"yes"}"#, ".sendsScope"),
            (#"{"parameters":{"a":"1"}}"#, ".parameters"),
            (#"{"parameters":["a"]}"#, ".parameters"),
            (#"{"parameters":[{"name":"a"}]}"#, ".parameters.value"),
            (#"{"endpoint":{}}"#, ".endpoint"),
        ]
    )
    func options(text: String, member: String) async throws {
        let agent = try await AgentFixture.make()
        let body = Addition().json.dropLast() + #","refresh":\#(text)}"#
        let answer = await agent.answer("POST", "/v1/accounts", body: String(body))
        #expect(answer.status == 400)
        try expect(answer, "invalid_input", ["field": "refresh" + member])
        #expect(try await agent.vault.accounts().isEmpty)
        await agent.service.stop()
    }

    @Test func aTokenThatCannotBeRenewedSaysSoInItsHeader() async throws {
        let agent = try await AgentFixture.make()
        var addition = Addition()
        addition.tokenResponse = #"{"access_token":"a","token_type":"Bearer","expires_in":30}"#
        let added = await agent.answer("POST", "/v1/accounts", body: addition.json)
        #expect(try WireJSON.decode(ChangeDocument.self, from: added.body).renewable == false)
        let token = await agent.answer("GET", "/v1/accounts/work/token")
        #expect(token.status == 200)
        let strict = await agent.answer("GET", "/v1/accounts/work/token?min-valid=60")
        #expect(strict.status == 409)
        try expect(strict, "sign_in_needed", account: "work", ["reason": "no_refresh_token"])
        await agent.service.stop()
    }

    @Test(
        "refuses a body that is no request",
        arguments: [
            "", "{", "null", "[]", "canary-body", #"{"name":"canary-body""#, "\u{0}\u{ff}",
        ]
    )
    func body(text: String) async throws {
        let agent = try await AgentFixture.make()
        for target in ["/v1/accounts", "/v1/sign-ins"] {
            let answer = await agent.answer("POST", target, body: text)
            #expect(answer.status == 400)
            try expect(answer, "invalid_input", ["field": "body"])
        }
        await agent.service.stop()
    }

    @Test("refuses an account with", arguments: Addition.wrong)
    func addition(addition: Addition) async throws {
        let agent = try await AgentFixture.make()
        let answer = await agent.answer("POST", "/v1/accounts", body: addition.json)
        #expect(answer.status == 400)
        try expect(answer, "invalid_input", account: addition.account, addition.facts)
        #expect(try await agent.vault.accounts().isEmpty)
        await agent.service.stop()
    }

    @Test func aNameOrGrantThatIsThereIsAConflict() async throws {
        let agent = try await AgentFixture.make()
        _ = await agent.answer("POST", "/v1/accounts", body: Addition().json)
        var other = Addition()
        other.tokenResponse = #"{"access_token":"b","refresh_token":"other","token_type":"Bearer"}"#
        let taken = await agent.answer("POST", "/v1/accounts", body: other.json)
        #expect(taken.status == 409)
        try expect(taken, "name_taken", account: "work", [:])
        var same = Addition()
        same.name = "home"
        let known = await agent.answer("POST", "/v1/accounts", body: same.json)
        #expect(known.status == 409)
        try expect(
            known,
            "grant_known",
            account: "home",
            ["reason": "stored", "other_account": "work"]
        )
        await agent.service.stop()
    }

    /// What the server says of a failure is told; what it repeats of ours is not.
    @Test(
        "tells why a refresh failed",
        arguments: [
            (
                400, #"{"error":"invalid_grant","error_description":"canary-refresh is dead"}"#,
                409, "sign_in_needed"
            ),
            (401, #"{"error":"invalid_client"}"#, 409, "client_refused"),
            (400, #"{"error":"invalid_scope"}"#, 409, "request_refused"),
            (429, "canary-body", 429, "throttled"), (500, "canary-body", 503, "outcome_unknown"),
            (200, "<html>canary-body</html>", 503, "outcome_unknown"),
        ]
    )
    func refresh(status: Int, body: String, expected: Int, code: String) async throws {
        let agent = try await AgentFixture.make()
        _ = await agent.answer("POST", "/v1/accounts", body: Addition().json)
        agent.server.answerNext(status, body)
        let answer = await agent.answer("POST", "/v1/accounts/work/refresh")
        #expect(answer.status == expected)
        let failure = try WireJSON.decode(ErrorDocument.self, from: answer.body).error
        #expect(failure.code == code && failure.account == "work")
        expectNoSecret(answer)
        // The token that is still valid is served in spite of it.
        let token = await agent.answer("GET", "/v1/accounts/work/token")
        #expect(token.text.contains("canary-access"))
        await agent.service.stop()
    }

    @Test(
        "reads scope and resource",
        arguments: [
            ("?scope=a", ["scope": "a"]), ("?scope=b&scope=a", ["scope": "a b"]),
            ("?scope=b+a%20c&min-valid=60", ["scope": "a b c"]),
            (
                "?resource=https%3A%2F%2Fapi.example%2Fv1%3Fx%3D1",
                ["resource": "https://api.example/v1?x=1"]
            ),
            ("?scope=a&resource=urn:x", ["scope": "a", "resource": "urn:x"]),
        ] as [(String, [String: String])]
    )
    func scopeAndResource(query: String, sent: [String: String]) async throws {
        let agent = try await AgentFixture.make()
        _ = await agent.answer("POST", "/v1/accounts", body: Addition().json)
        agent.server.answerNext(
            200,
            #"{"access_token":"n","refresh_token":"m","token_type":"Bearer","expires_in":7200}"#
        )
        let answer = await agent.answer("GET", "/v1/accounts/work/token\(query)")
        #expect(answer.status == 200)
        #expect(agent.server.exchanges.count == 1)
        let body = agent.server.exchanges.first ?? ""
        for (name, value) in sent {
            #expect(FormCoding.decode(body).contains { $0.name == name && $0.value == value })
        }
        await agent.service.stop()
    }

    @Test("says what is wrong with a resource") func malformedResource() async throws {
        let agent = try await AgentFixture.make()
        _ = await agent.answer("POST", "/v1/accounts", body: Addition().json)
        let answer = await agent.answer("GET", "/v1/accounts/work/token?resource=x")
        #expect(answer.status == 400)
        try expect(answer, "invalid_input", account: "work", ["field": "resource"])
        await agent.service.stop()
    }

    @Test(
        "reads the minimum",
        arguments: [
            ("", 200), ("?min-valid=0", 200), ("?min-valid=60", 200), ("?min-valid=1.5", 200),
            ("?min-valid=", 400), ("?min-valid", 400), ("?min-valid=x", 400),
            ("?min-valid=-1", 400),
            ("?min-valid=nan", 400), ("?min-valid=inf", 400), ("?min-valid=-inf", 400),
            ("?min-valid=1e300", 400), ("?min-valid=1e20", 400), ("?min-valid=4294967296", 400),
            ("?min-valid=9999999999999999999999", 400), ("?min-valid=+60", 400),
            ("?min-valid=60s", 400), ("?min-valid=%00", 400),
            // More than any token here lives: stored, then refused.
            ("?min-valid=4294967295", 409),
        ]
    )
    func minimum(query: String, status: Int) async throws {
        let agent = try await AgentFixture.make()
        _ = await agent.answer("POST", "/v1/accounts", body: Addition().json)
        agent.server.answerNext(
            200,
            #"{"access_token":"n","refresh_token":"m","token_type":"Bearer","expires_in":7200}"#
        )
        let answer = await agent.answer("GET", "/v1/accounts/work/token\(query)")
        #expect(answer.status == status)
        if status == 400 { try expect(answer, "invalid_input", ["field": "min-valid"]) }
        #expect(agent.server.exchanges.count == (status == 409 ? 1 : 0))
        await agent.service.stop()
    }

    /// A command asks as soon as the agent says that it is ready.
    @Test func aStopThatComesBeforeAnybodyListensIsNotLost() async throws {
        let agent = try await AgentFixture.make()
        #expect(await agent.answer("POST", "/v1/stop").status == 204)
        let life = AgentLife(
            service: agent.service,
            signals: AgentSignals(),
            isOnDemand: false,
            // Nothing listens here: any file that stays does.
            socket: try SocketFile(agent.location.database)
        )
        #expect(await life.last() == "asked")
        await agent.service.stop()
    }

    private func expect(
        _ answer: HTTPServerResponse,
        _ code: String,
        account: String? = nil,
        _ facts: [String: String]
    ) throws {
        let failure = try WireJSON.decode(ErrorDocument.self, from: answer.body).error
        #expect(failure.code == code)
        #expect(failure.account == account)
        #expect(failure.facts == facts)
        expectNoSecret(answer)
    }

    private func expectNoSecret(_ answer: HTTPServerResponse) {
        for canary in AgentFixture.canaries { #expect(!answer.text.contains(canary)) }
    }
}

/// A request to add an account, right unless something in it is changed.
struct Addition: Sendable, CustomTestStringConvertible {
    var name = "work"
    var tokenEndpoint = "https://as.example/token"
    var clientID = "client"
    var clientSecret: String? = "canary-secret"
    var clientAuthentication = "client_secret_basic"
    var issuer: String?
    var tokenResponse = ScriptedServer.granted
    var refresh: AddAccountDocument.Refresh?
    var tags: [String]?
    var renewal: String?
    /// The account that its error names.
    var account: String?
    /// What is wrong with it.
    var facts: [String: String] = [:]

    var testDescription: String { facts.values.sorted().joined(separator: " ") }

    var json: String {
        let document = AddAccountDocument(
            name: name,
            tokenEndpoint: tokenEndpoint,
            clientID: clientID,
            clientSecret: clientSecret,
            clientAuthentication: clientAuthentication,
            issuer: issuer,
            scope: ["a"],
            tokenResponse: tokenResponse,
            refresh: refresh,
            tags: tags,
            renewal: renewal
        )
        return String(decoding: (try? WireJSON.encode(document)) ?? [], as: UTF8.self)
    }

    private static func with(
        _ facts: [String: String],
        of account: String? = nil,
        _ change: (inout Addition) -> Void
    ) -> Addition {
        var addition = Addition()
        change(&addition)
        addition.facts = facts
        addition.account = account
        return addition
    }

    static let wrong: [Addition] =
        ["", "a b", "-a", "a/b", "ä", String(repeating: "a", count: 129)].map { name in
            with(["field": "name"]) { $0.name = name }
        }
        + [
            ("http://as.example", "insecure"), ("as.example", "not_http"), ("", "not_http"),
            ("https://u:canary-secret@as.example", "user_info"), ("https://", "host_missing"),
        ].map { (url: String, reason: String) in
            with(["field": "token_endpoint", "reason": reason]) { $0.tokenEndpoint = url }
        }
        + ["", "{", "[]", "null", #"{"token_type":"Bearer"}"#, #"{"access_token":12345}"#].map {
            text in
            with(["field": "token_response"]) { $0.tokenResponse = text + "canary-body" }
        }
        + [
            with(["field": "client_id"]) { $0.clientID = "" },
            with(["field": "client_secret"]) { $0.clientSecret = nil },
            with(["field": "client_secret"]) { $0.clientSecret = "" },
            with(["field": "client_secret"]) { $0.clientAuthentication = "none" },
            with(["field": "client_authentication"]) { $0.clientAuthentication = "canary-secret" },
            with(["field": "issuer", "reason": "not_http"]) { $0.issuer = "as.example" },
        ] + wrongRefreshes + wrongTags

    private static let wrongTags: [Addition] =
        ["", " ", "canary-body\n"].map { tag in with(["field": "tags"]) { $0.tags = ["a", tag] } }
        + [
            with(["field": "tags", "wanted": "at most 32"], of: "work") {
                $0.tags = (0...32).map { "\($0)" }
            }
        ]

    private static let wrongRefreshes: [Addition] =
        [
            with(["field": "provider"], of: "work") { $0.refresh = .init(provider: "canary-body") },
            with(["field": "rotation"]) { $0.refresh = .init(rotation: "grace:canary-body") },
            with(["field": "refresh_endpoint", "reason": "insecure"]) {
                $0.refresh = .init(endpoint: "http://as.example")
            },
        ]
        + ["", "client_secret", "refresh_token", "Password"].map { name in
            with(["field": "refresh_parameters"], of: "work") {
                $0.refresh = .init(parameters: [.init(name: name, value: "canary-secret")])
            }
        }
}
