import Testing

extension EndToEndTests {
    /// Signing in, and what else arrives at the redirect address.
    @Suite struct LoginTests {
        @Test func whatIsNotTheAnswerIsPassedOver() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                var redirect = ""
                let ended = try stage.login("work", issuer: server.issuer) { address in
                    let state = try #require(Self.parameter("state", of: address))
                    redirect = try #require(Self.parameter("redirect_uri", of: address))
                    for (query, status) in [
                        ("code=stolen&state=wrong", "400"), ("code=stolen", "400"), ("", "400"),
                        ("code=stolen&state=\(state)&iss=http://127.0.0.1:1", "400"),
                        ("code=stolen&state=\(state)", "400"),
                    ] {
                        #expect(
                            try Self.status(stage, "\(redirect)?\(query)") == status,
                            "\(query)"
                        )
                    }
                    let icon = redirect.replacing("/callback", with: "/favicon.ico")
                    #expect(try Self.status(stage, icon) == "404")
                    #expect(try Self.status(stage, redirect, ["--head"]) == "405")
                    #expect(try stage.follow(address).out.contains("Signed in"))
                }
                #expect(ended.code == 0, "\(ended)")
                #expect(redirect.hasPrefix("http://127.0.0.1:"))
                let counted = try server.statistics()
                #expect(counted.tokenRequestsPerGrantType == ["authorization_code": 1])
                // Nobody listens there any more.
                let isClosed = try poll(seconds: 5, every: 50) {
                    try Self.status(stage, redirect) == "000"
                }
                #expect(isClosed)
            }
        }

        private static func status(
            _ stage: Stage,
            _ url: String,
            _ more: [String] = []
        ) throws -> String {
            let words = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "5"]
            return try stage.system("curl", words + more + [url]).word
        }

        private static func parameter(_ name: String, of address: String) -> String? {
            let pairs = address.split(separator: "?").last?.split(separator: "&") ?? []
            let pair = pairs.first { $0.hasPrefix("\(name)=") }
            return pair.map {
                $0.dropFirst(name.count + 1).replacing("%3A", with: ":").replacing("%2F", with: "/")
            }.map { String($0) }
        }

        @Test func aRefusalIsSaidAndLeavesNothing() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                let ended = try stage.login("work", issuer: server.issuer) { address in
                    let state = try #require(Self.parameter("state", of: address))
                    let redirect = try #require(Self.parameter("redirect_uri", of: address))
                    let query = "error=access_denied&state=\(state)&iss=\(server.issuer)"
                    _ = try stage.follow("\(redirect)?\(query)")
                }
                #expect(ended.code == 1 && ended.errorLines.count == 1, "\(ended)")
                #expect(ended.err.contains("access_denied"))
                #expect(
                    try JSON(stage.vault("list", "--json").word)["accounts"]?.items.isEmpty == true
                )
            }
        }

        @Test func anotherSignInReplacesTheGrantOfItsAccountAlone() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                for name in ["work", "home"] {
                    #expect(try stage.login(name, at: server).code == 0)
                }
                let home = try stage.vault("token", "home").word
                let work = try stage.vault("token", "work").word
                #expect(try stage.login("work", at: server).code == 0)
                #expect(try stage.vault("token", "work").word != work)
                #expect(try stage.vault("token", "home").word == home)
                for name in ["work", "home"] { #expect(try stage.vault("refresh", name).code == 0) }
            }
        }

        @Test func signingInAgainNeedsNothingButTheName() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                let scope = ["--scope", "read"]
                let first = try stage.login(
                    "work",
                    at: server,
                    clientID: server.address.confidentialClientID,
                    scope,
                    secret: server.address.confidentialClientSecret
                )
                #expect(first.code == 0, "\(first)")
                let old = try stage.vault("token", "work").word
                let again = try stage.loginAgain("work")
                #expect(again.code == 0, "\(again)")
                #expect(try stage.vault("token", "work").word != old)

                // What was never told is asked for, whatever the reason.
                for name in ["home", "work"] {
                    if name == "work" {
                        try stage.vault("remove", name)
                        try stage.add(name, from: server)
                    }
                    let unknown = try stage.vault("login", name, "--no-browser")
                    #expect(unknown.code == 2 && unknown.stdout.isEmpty, "\(unknown)")
                    #expect(unknown.err.contains("--issuer URL is missing"), "\(unknown)")
                }
            }
        }

        @Test func aSignInWinsOverARefreshThatIsUnderWay() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                try stage.add("other", from: server)
                try server.script(#"[{"delayAfterCommit":2}]"#)
                let refresh = try stage.start(stage.vaultLaunch(["refresh", "work"]))
                #expect(try poll(seconds: 10) { try server.statistics().tokenRequests == 1 })
                #expect(try stage.login("work", at: server).code == 0)
                #expect(try stage.vault("switch", "other").code == 0)
                let token = try stage.vault("token", "work").word
                let ended = try stage.finish(refresh)
                #expect(ended.stdout.isEmpty)
                // What the old grant's refresh brought is not installed over it.
                let after = try stage.vault("token", "work")
                #expect(after.code == 0 && after.word == token)
                #expect(try stage.vault("refresh", "work").code == 0)
                #expect(try server.statistics().reuseDetections == 0)
                #expect(try stage.vault("token").word == stage.vault("token", "other").word)
            }
        }

        @Test func aSignInThatWaitsHoldsUpNobody() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                let ended = try stage.login("work", issuer: server.issuer) { address in
                    let token = try stage.vault("token", "work")
                    #expect(token.code == 0 && token.seconds < 2)
                    #expect(try stage.vault("refresh", "work").code == 0)
                    try stage.follow(address)
                }
                #expect(ended.code == 0, "\(ended)")
            }
        }

        @Test func discoveryThatMakesNoSenseIsAFailure() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                for (issuer, code) in [
                    ("\(server.issuer)/nowhere", Int32(1)), ("http://127.0.0.1:1", 6),
                    (server.issuer.replacing("127.0.0.1", with: "localhost"), 1),
                ] {
                    let ended = try stage.vault(
                        ["login", "work", "--issuer", issuer, "--client-id", "test-public"]
                    )
                    #expect(ended.code == code, "\(ended)")
                    #expect(ended.stdout.isEmpty && ended.errorLines.count == 1, "\(ended)")
                }
            }
        }
    }
}
