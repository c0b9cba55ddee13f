import Glibc
import Testing

extension EndToEndTests {
    /// The other ways to sign in, and none at all.
    @Suite struct LoginFlowTests {
        /// The user code on the screen of a device.
        static func userCode(in words: String) -> String? {
            words.firstMatch(of: /type the code (\S+):\n/).map { String($0.1) }
        }

        static func approve(
            _ stage: Stage,
            _ server: TestServer,
            _ code: String,
            _ more: String = ""
        ) throws {
            try stage.follow("\(server.issuer)/device?user_code=\(code)\(more)")
        }

        @Test func aDeviceIsApprovedElsewhere() throws {
            try withStage { stage in
                let server = try stage.startServer("--device-interval", "1")
                try stage.initialize()
                let ended = try stage.deviceLogin("work", server) { code in
                    try Self.approve(stage, server, code)
                }
                #expect(ended.code == 0 && ended.stdout.isEmpty, "\(ended)")
                #expect(ended.err.contains("vault: \(server.issuer)/device\n"))
                #expect(ended.err.contains(" is for 127.0.0.1, and for nobody who asks you"))
                #expect(!ended.err.contains("warning") && !ended.err.contains("\u{1b}"))
                let token = try stage.vault("token", "work")
                #expect(try server.present(token.word) == "200")
                #expect(try stage.vault("refresh", "work").code == 0)
                // Nothing needs to be told again, not even the way.
                let again = try stage.deviceLogin("work", nil) { code in
                    try Self.approve(stage, server, code)
                }
                #expect(again.code == 0, "\(again)")
                #expect(try stage.vault("token", "work").word != token.word)
            }
        }

        @Test func cliH06DenialAndExpiryEndAtOnceEachInItsWords() throws {
            try withStage { stage in
                let server = try stage.startServer(
                    "--device-interval",
                    "1",
                    "--device-lifetime",
                    "3"
                )
                try stage.initialize()
                let denied = try stage.deviceLogin("work", server) { code in
                    try Self.approve(stage, server, code, "&deny=1")
                }
                #expect(denied.code == 1 && denied.errorLines.count == 1, "\(denied)")
                #expect(denied.err.contains("refused on the other device"), "\(denied)")
                let late = try stage.deviceLogin("work", server) { _ in }
                #expect(late.code == 1 && late.errorLines.count == 1, "\(late)")
                #expect(late.err.contains("not typed and approved in time"), "\(late)")
                let accounts = try JSON(stage.vault("list", "--json").word)["accounts"]?.items
                #expect(accounts?.isEmpty == true)
            }
        }

        @Test func cliH07ThePastedAddressIsTakenFromATerminal() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                let person = try Person()
                var launch = try stage.vaultLaunch([
                    "login", "work", "--flow", "paste", "--issuer", server.issuer,
                    "--client-id", "test-public",
                ])
                launch.terminal = person.terminal
                let run = try stage.start(launch)
                let address = try stage.authorizationURL(of: run)
                #expect(try poll(seconds: 10) { run.stderrSoFar.contains("does not show") })
                #expect(try poll(seconds: 10) { !person.terminal.echoes })
                let redirect = try stage.redirect(of: address)
                // A key that was hit by mistake is no answer.
                person.terminal.type("\n")
                #expect(
                    try poll(seconds: 10) {
                        run.stderrSoFar.ranges(of: "does not show").count == 2
                    }
                )
                person.terminal.type("http://127.0.0.1:1/nowhere?code=x\n")
                #expect(try poll(seconds: 10) { run.stderrSoFar.contains("is not an address") })
                person.terminal.type("\(redirect.replacing("state=", with: "state=x"))\r")
                #expect(try poll(seconds: 10) { run.stderrSoFar.contains("is not the answer") })
                #expect(try server.statistics().tokenRequests == 0)
                person.terminal.type("\(redirect)\n")
                let ended = try stage.finish(run)
                #expect(ended.code == 0, "\(ended)")
                #expect(person.terminal.echoes && !person.seen.contains("code="))
                #expect(try stage.vault("token", "work").code == 0)
            }
        }

        @Test func cliH07ThePastedAddressIsTakenFromAPipe() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                let right = try stage.pipedLogin(server) { try stage.redirect(of: $0) }
                #expect(right.code == 0, "\(right)")
                let wrong = try stage.pipedLogin(server) { _ in "nothing" }
                #expect(wrong.code == 1 && wrong.errorLines.count == 1, "\(wrong)")
                #expect(wrong.err.contains("is not an address"), "\(wrong)")
                // It left nothing behind, and the one before is untouched.
                #expect(try stage.vault("token", "work").code == 0)
                #expect(try server.statistics().tokenRequests == 1)
            }
        }

        @Test(arguments: [SIGINT, SIGTERM])
        func whoGoesLeavesNothingBehind(signal: Int32) throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                let person = try Person()
                var launch = try stage.vaultLaunch([
                    "login", "work", "--flow", "paste", "--issuer", server.issuer,
                    "--client-id", "test-public",
                ])
                launch.terminal = person.terminal
                let run = try stage.start(launch)
                let address = try stage.authorizationURL(of: run)
                #expect(try poll(seconds: 10) { !person.terminal.echoes })
                if signal == SIGINT {
                    person.terminal.type("half\u{3}")
                } else {
                    run.process.kill(signal)
                }
                let ended = try stage.finish(run, seconds: 10)
                #expect(ended.code == 128 + signal, "\(ended)")
                #expect(person.terminal.echoes)
                // Nobody listens any more, and there is no account.
                let redirect = try stage.redirect(of: address)
                let isClosed = try poll(seconds: 5, every: 50) {
                    try stage.system("curl", ["-s", "--max-time", "5", redirect]).code == 7
                }
                #expect(isClosed)
                #expect(try server.statistics().tokenRequests == 0)
                #expect(try stage.vault("token", "work").code == 3)
            }
        }

        @Test func aClientRegistersItselfWhereItMay() throws {
            for registration in ["anybody", "confidential"] {
                try withStage { stage in
                    let server = try stage.startServer("--registration", registration)
                    try stage.initialize()
                    let ended = try stage.login("work", issuer: server.issuer, clientID: nil) {
                        try stage.follow($0)
                    }
                    #expect(ended.code == 0, "\(ended)")
                    #expect(try stage.vault("refresh", "work").code == 0)
                    // The next sign-in is the same client's.
                    let again = try stage.loginAgain("work")
                    #expect(again.code == 0, "\(again)")
                    #expect(again.err.contains("client_id=registered-1&"))
                }
            }
        }

        @Test func whoHasNoClientIsToldWhatToRegister() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                let words = ["login", "work", "--no-browser", "--issuer", server.issuer]
                let alone = try stage.vault(words)
                #expect(alone.code == 2 && alone.errorLines.count == 1, "\(alone)")
                #expect(alone.err.contains("\nvault: http://127.0.0.1:8400/callback\n"))
                #expect(alone.err.contains("--client-id ID --redirect-uri http://127.0.0.1:8400"))

                let port = try freePort()
                let person = try Person()
                let redirect = "http://127.0.0.1:\(port)/callback"
                var launch = try stage.vaultLaunch(words + ["--redirect-uri", redirect])
                launch.terminal = person.terminal
                let run = try stage.start(launch)
                try person.answer("Client ID: ", "test-public")
                let address = try stage.authorizationURL(of: run, after: 1)
                #expect(address.contains("client_id=test-public"))
                try stage.follow(address)
                let ended = try stage.finish(run)
                #expect(ended.code == 0, "\(ended)")
                #expect(run.stderrSoFar.contains("vault: \(redirect)\n"))
            }
        }
    }
}
