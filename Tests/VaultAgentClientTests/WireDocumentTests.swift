import FoundationEssentials
import Testing
import VaultAgentClient

@Suite struct WireDocumentTests {
    private static let expiry = Date(timeIntervalSince1970: 1_760_000_000)
    private static let account = AccountDocument(
        name: "work",
        current: true,
        state: "active",
        issuer: "https://as.example",
        expiresAt: expiry,
        dueAt: expiry.addingTimeInterval(-600),
        grantEndsAt: expiry.addingTimeInterval(86_400),
        renewal: "eager",
        tags: ["a", "b c"]
    )
    private static let unknown = AccountDocument(
        name: "home",
        current: false,
        state: "sign_in_needed",
        issuer: nil,
        expiresAt: nil,
        dueAt: nil,
        tags: nil
    )
    private static let accountJSON = """
        {"current":true,"dueAt":"2025-10-09T08:43:20Z","expiresAt":"2025-10-09T08:53:20Z",\
        "grantEndsAt":"2025-10-10T08:53:20Z","issuer":"https://as.example","name":"work",\
        "renewal":"eager","state":"active",\
        "tags":["a","b c"]}
        """
    private static let unknownJSON = """
        {"current":false,"dueAt":null,"expiresAt":null,"grantEndsAt":null,"issuer":null,\
        "name":"home","renewal":null,"state":"sign_in_needed","tags":null}
        """

    @Test func accountList() throws {
        try expect(
            AccountListDocument(locked: true, accounts: [], damaged: ["x"]),
            #"{"accounts":[],"damaged":["x"],"locked":true,"schemaVersion":1}"#
        )
        try expect(
            AccountListDocument(accounts: [Self.account, Self.unknown]),
            """
            {"accounts":[\(Self.accountJSON),\(Self.unknownJSON)],"damaged":[],"schemaVersion":1}
            """
        )
    }

    /// A time may come out earlier than it is, never later.
    @Test func partsOfASecondAreDropped() throws {
        let json = try WireJSON.encode([Self.expiry.addingTimeInterval(0.999)])
        #expect(String(decoding: json, as: UTF8.self) == #"["2025-10-09T08:53:20Z"]"#)
    }

    @Test func status() throws {
        let running = AgentDocument(running: true, pid: 42, version: "0.1.0")
        let gone = AgentDocument(running: false, pid: nil, version: nil)
        try expect(
            AgentStatusDocument(agent: running),
            """
            {"agent":{"lockReason":null,"locked":null,"locksAt":null,"memoryLocked":null,\
            "pid":42,"running":true,"unsaved":null,\
            "version":"0.1.0"},"schemaVersion":1}
            """
        )
        try expect(
            StatusDocument(
                agent: gone,
                accounts: [
                    AccountStatusDocument(
                        account: Self.unknown,
                        detail: .init(
                            generation: 3,
                            failureCount: 2,
                            lastFailure: "unreachable",
                            reason: "rotation_lost",
                            since: Date(timeIntervalSince1970: 1_760_000_000),
                            firstSentAt: Date(timeIntervalSince1970: 1_760_000_001),
                            tokenEndpoint: "https://as.example/token"
                        )
                    )
                ]
            ),
            """
            {"accounts":[{"current":false,"dueAt":null,"expiresAt":null,"failureCount":2,\
            "firstSentAt":"2025-10-09T08:53:21Z","generation":3,"grantEndsAt":null,"issuer":null,\
            "lastFailure":"unreachable","lifetime":null,"name":"home","reason":"rotation_lost","renewal":null,\
            "sentAgainAt":null,"since":"2025-10-09T08:53:20Z","state":"sign_in_needed",\
            "tags":null,"tokenEndpoint":"https://as.example/token"}],"agent":{"lockReason":null,"locked":null,"locksAt":null,\
            "memoryLocked":null,"pid":null,"running":false,"unsaved":null,"version":null},"damaged":[],"locked":false,\
            "schemaVersion":1}
            """
        )
        try expect(
            StatusDocument(
                agent: gone,
                accounts: [
                    AccountStatusDocument(
                        account: Self.account,
                        detail: .init(generation: 1, failureCount: 0, lastFailure: nil)
                    )
                ]
            ),
            """
            {"accounts":[{"current":true,"dueAt":"2025-10-09T08:43:20Z",\
            "expiresAt":"2025-10-09T08:53:20Z","failureCount":0,"firstSentAt":null,\
            "generation":1,"grantEndsAt":"2025-10-10T08:53:20Z",\
            "issuer":"https://as.example","lastFailure":null,"lifetime":null,"name":"work",\
            "reason":null,"renewal":"eager","sentAgainAt":null,"since":null,"state":"active","tags":["a","b c"],\
            "tokenEndpoint":null}],\
            "agent":{"lockReason":null,"locked":null,"locksAt":null,"memoryLocked":null,"pid":null,\
            "running":false,"unsaved":null,"version":null},"damaged":[],"locked":false,"schemaVersion":1}
            """
        )
    }

    @Test func change() throws {
        try expect(
            ChangeDocument(account: Self.account, generation: 1, renewable: false),
            """
            {"account":\(Self.accountJSON),"generation":1,"renewable":false,"schemaVersion":1}
            """
        )
    }

    @Test func error() throws {
        try expect(
            ErrorDocument(
                ErrorDocument.Failure(
                    code: "unreachable",
                    account: "work",
                    facts: ["reason": "timedOut", "host": "as.example"]
                )
            ),
            #"{"error":{"account":"work","code":"unreachable","#
                + #""facts":{"host":"as.example","reason":"timedOut"}},"schemaVersion":1}"#
        )
        try expect(
            ErrorDocument(ErrorDocument.Failure(code: "locked", account: nil, facts: [:])),
            #"{"error":{"code":"locked","facts":{}},"schemaVersion":1}"#
        )
    }

    @Test func signIn() throws {
        let url = "https://as.example/authorize?response_type=code&state=s"
        var browser = SignInDocument(id: "i", state: .waiting, flow: "browser", issuer: "u")
        browser.authorizationURL = url
        browser.redirectURI = "http://127.0.0.1:9/callback"
        try expect(
            browser,
            """
            {"authorizationURL":"\(url)","flow":"browser","id":"i","issuer":"u",\
            "redirectURI":"http://127.0.0.1:9/callback","schemaVersion":1,"state":"waiting"}
            """
        )
        var device = SignInDocument(id: "i", state: .waiting, flow: "device", issuer: "u")
        device.device = SignInDocument.Device(
            userCode: "AB-CD",
            verificationURI: "https://as.example/device",
            verificationURIComplete: nil,
            expiresAt: Date(timeIntervalSince1970: 1_760_000_000)
        )
        device.notice = .slowedDown
        try expect(
            device,
            """
            {"device":{"expiresAt":"2025-10-09T08:53:20Z","userCode":"AB-CD",\
            "verificationURI":"https://as.example/device"},"flow":"device","id":"i",\
            "issuer":"u","notice":"slowed_down","schemaVersion":1,"state":"waiting"}
            """
        )
        var ready = SignInDocument(id: "i", state: .ready, flow: "paste", issuer: "u")
        ready.renewable = false
        try expect(
            ready,
            """
            {"flow":"paste","id":"i","issuer":"u","renewable":false,"schemaVersion":1,\
            "state":"ready"}
            """
        )
        var failed = SignInDocument(id: "i", state: .failed, flow: "browser", issuer: "u")
        failed.error = ErrorDocument.Failure(code: "sign_in_failed", account: nil, facts: [:])
        try expect(
            failed,
            """
            {"error":{"code":"sign_in_failed","facts":{}},"flow":"browser","id":"i",\
            "issuer":"u","schemaVersion":1,"state":"failed"}
            """
        )
    }

    @Test func requests() throws {
        try expect(
            AddAccountDocument(
                name: "work",
                tokenEndpoint: "https://as.example/token",
                clientID: "c",
                clientSecret: "s",
                clientAuthentication: "client_secret_basic",
                issuer: nil,
                scope: ["a", "b"],
                tokenResponse: #"{"access_token":"t"}"#
            ),
            #"{"clientAuthentication":"client_secret_basic","clientID":"c","clientSecret":"s","#
                + #""name":"work","scope":["a","b"],"tokenEndpoint":"https://as.example/token","#
                + #""tokenResponse":"{\"access_token\":\"t\"}"}"#
        )
        try expect(
            AddAccountDocument(
                name: "work",
                tokenEndpoint: "https://as.example/token",
                clientID: "c",
                clientSecret: nil,
                clientAuthentication: "none",
                issuer: nil,
                scope: [],
                tokenResponse: "{}",
                refresh: .init(
                    provider: "github",
                    rotation: "grace:30",
                    parameters: [.init(name: "a", value: "1")],
                    sendsScope: true,
                    endpoint: "https://as.example/refresh"
                ),
                tags: ["t"]
            ),
            #"{"clientAuthentication":"none","clientID":"c","name":"work","#
                + #""refresh":{"endpoint":"https://as.example/refresh","#
                + #""parameters":[{"name":"a","value":"1"}],"provider":"github","#
                + #""rotation":"grace:30","sendsScope":true},"scope":[],"tags":["t"],"#
                + #""tokenEndpoint":"https://as.example/token","tokenResponse":"{}"}"#
        )
        try expect(
            BeginSignInDocument(
                name: "work",
                issuer: "https://as.example",
                clientID: "c",
                clientSecret: nil,
                scope: [],
                redirectURI: "http://127.0.0.1/cb"
            ),
            """
            {"clientID":"c","issuer":"https://as.example","name":"work",\
            "redirectURI":"http://127.0.0.1/cb","scope":[]}
            """
        )
        try expect(RedirectDocument(redirect: "r"), #"{"redirect":"r"}"#)
    }

    @Test func ready() throws {
        try expect(AgentReadyDocument(pid: 42), #"{"alreadyRunning":false,"pid":42}"#)
        try expect(
            AgentReadyDocument(
                pid: 0,
                error: ErrorDocument.Failure(code: "locked", account: nil, facts: ["path": "/k"])
            ),
            #"{"alreadyRunning":false,"error":{"code":"locked","facts":{"path":"/k"}},"pid":0}"#
        )
    }

    @Test(
        "refuses what is no document",
        arguments: [
            "", "null", "[]", "{", #"{"accounts":[]}"#, #"{"accounts":{},"schemaVersion":1}"#,
            #"{"accounts":[{"name":"a"}],"schemaVersion":1}"#,
            #"{"accounts":[],"schemaVersion":"1"}"#,
        ]
    )
    func malformed(text: String) {
        #expect(throws: (any Error).self) {
            try WireJSON.decode(AccountListDocument.self, from: Array(text.utf8))
        }
    }

    /// A newer agent may say more.
    @Test func membersNobodyKnowsArePassedOver() throws {
        let text = #"{"accounts":[],"damaged":[],"schemaVersion":2,"more":{"x":[1]}}"#
        let document = try WireJSON.decode(AccountListDocument.self, from: Array(text.utf8))
        #expect(document.schemaVersion == 2)
    }
}
