import OAuth
import Testing
import VaultCrypto

@Suite struct AuthorizationRedirectTests {
    @Test("judges the corpus", arguments: AuthorizationRedirectRow.judged)
    func corpus(row: AuthorizationRedirectRow) throws {
        let expected = row.decision
        var judge = try row.judge()
        var outcomes: [Outcome] = []
        for (index, request) in row.requests.enumerated() {
            let outcome = Outcome(
                judge.judge(
                    method: request.method ?? "",
                    target: request.target ?? request.target_recipe?.text ?? "",
                    host: request.headers?["Host"]
                )
            )
            #expect(expected.statuses[index].contains(.code(outcome.status)))
            outcomes.append(outcome)
        }
        let settled = outcomes.filter { $0.name != "waiting" }
        #expect(settled.count <= 1)
        let outcome = settled.first ?? Outcome(name: "waiting", status: 0)
        #expect(outcome.name == expected.outcome)
        #expect(outcome.code == expected.code)
        #expect(outcome.error == expected.error)
        #expect(outcome.answerClass == expected.class)
        for (name, value) in expected.extras ?? [:] { #expect(outcome.extra[name] == value) }
    }

    @Test func leavesTheListenersLinesToTheReceiver() {
        #expect(
            AuthorizationRedirectRow.listenerOnly.map(\.id) == [
                "az-ok-11", "az-pre-02", "az-pre-03", "az-ht-07", "az-ht-09", "az-ht-10",
                "az-ht-12",
                "az-ht-14", "az-ht-15", "az-ht-16", "az-ht-17",
            ]
        )
    }

    @Test(
        "knows its own host",
        arguments: [
            ("127.0.0.1:7", 200), ("localhost:7", 200), ("[::1]:7", 200), ("LOCALHOST:7", 200),
            (nil, 200), ("127.0.0.1", 421), ("127.0.0.1:8", 421), ("evil.example:7", 421),
            ("evil.example", 421), ("127.0.0.1.evil.example:7", 421), ("", 421), (":7", 421),
            ("127.0.0.1:7:7", 421), ("user@127.0.0.1:7", 421), ("é:7", 421),
        ] as [(String?, Int)]
    )
    func host(host: String?, status: Int) throws {
        var judge = try make()
        #expect(
            Outcome(judge.judge(method: "GET", target: "/cb?code=c&state=s", host: host)).status
                == status
        )
    }

    @Test(
        "takes a pasted address",
        arguments: [
            ("http://127.0.0.1:7/cb?code=c&state=s", 200),
            (" http://localhost:7/cb?state=s&code=c \n", 200),
            ("http://127.0.0.1:7/cb?code=c&state=s#_=_", 200),
            ("http://127.0.0.1:8/cb?code=c&state=s", 421),
            ("https://evil.example/cb?code=c&state=s", 421),
            ("http://127.0.0.1:7/?code=c&state=s", 404),
            ("http://127.0.0.1:7/cb?code=c&state=t", 400), ("c", 404), ("", 404),
            ("http://127.0.0.1:7/cb?code=c d&state=s", 400),
        ]
    )
    func pasted(address: String, status: Int) throws {
        var judge = try make()
        #expect(Outcome(judge.judge(pasted: address)).status == status)
    }

    @Test func refusesAMissingIssuerThatWasPromised() throws {
        var judge = AuthorizationRedirect(
            redirectURI: try EndpointURL("http://127.0.0.1:7/cb"),
            state: Secret("s"),
            issuer: "https://as.example",
            isIssuerRequired: true
        )
        #expect(
            Outcome(judge.judge(method: "GET", target: "/cb?code=c&state=s", host: nil)).status
                == 400
        )
        #expect(
            Outcome(
                judge.judge(
                    method: "GET",
                    target: "/cb?code=c&state=s&iss=https://as.example",
                    host: nil
                )
            ).status == 200
        )
    }

    @Test func answersOnce() throws {
        var judge = try make()
        let target = "/cb?code=c&state=s"
        #expect(Outcome(judge.judge(method: "GET", target: target, host: nil)).status == 200)
        #expect(Outcome(judge.judge(method: "GET", target: target, host: nil)).status == 410)
    }

    @Test(
        "classifies refusals",
        arguments: [
            ("access_denied", .accessDenied), ("user_cancelled_login", .accessDenied),
            ("server_error", .ambiguous(.transient)), ("invalid_scope", .requestRefused),
            ("unsupported_response_type", .clientRefused),
            ("consent_required", .interactionRequired),
            ("whatever", .ambiguous(.malformed)),
        ] as [(String, AnswerClass)]
    )
    func classifies(error: String, answerClass: AnswerClass) throws {
        var judge = try make()
        let judgement = judge.judge(method: "GET", target: "/cb?error=\(error)&state=s", host: nil)
        guard case .failed(let found, let code, _) = judgement else {
            Issue.record("not a refusal")
            return
        }
        #expect(found == answerClass)
        #expect(code == error)
    }

    private func make() throws -> AuthorizationRedirect {
        AuthorizationRedirect(
            redirectURI: try EndpointURL("http://127.0.0.1:7/cb"),
            state: Secret("s")
        )
    }
}

/// A judgement in the corpus's words.
private struct Outcome {
    var name: String
    var status: Int
    var code: String?
    var error: String?
    var answerClass: String?
    var extra: [String: String] = [:]

    init(name: String, status: Int) {
        self.name = name
        self.status = status
    }

    init(_ judgement: AuthorizationRedirect.Judgement) {
        switch judgement {
        case .code(let secret, let extra):
            self.init(name: "code", status: 200)
            code = secret.reveal { $0 }
            self.extra = extra
        case .failed(let found, let code, _):
            self.init(name: "error", status: 200)
            error = code
            answerClass = found == .ambiguous(.malformed) ? "rejected" : found.corpusName
        case .ignored(let status):
            self.init(name: "waiting", status: status)
        }
    }
}
