import Glibc
import Testing

extension EndToEndTests {
    /// Signing in with nobody there: with a client's own credentials.
    @Suite struct MachineLoginTests {
        private static let flow = ["--flow", "client-credentials"]

        @Test func theClientAsksForItselfAndIsRenewedByAskingAgain() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                let ended = try stage.machineLogin("work", server, Self.flow + ["--scope", "read"])
                #expect(ended.code == 0 && ended.stdout.isEmpty, "\(ended)")
                #expect(ended.err.contains("signed in: account work is ready"))
                #expect(ended.err.contains("asks for each next token as for this one"))
                #expect(!ended.err.contains("warning") && !ended.err.contains("http://127.0.0.1:8"))
                let token = try stage.vault("token", "work")
                #expect(try server.present(token.word) == "200")
                #expect(try stage.vault("refresh", "work").code == 0)
                let next = try stage.vault("token", "work")
                #expect(next.word != token.word)
                #expect(try server.present(next.word) == "200")
                // A name alone is enough, and the way is remembered.
                let again = try stage.vault("login", "work")
                #expect(again.code == 0, "\(again)")
                let statistics = try server.statistics()
                #expect(statistics.tokenRequestsPerGrantType == ["client_credentials": 3])
                let list = try JSON(stage.vault("list", "--json").word)["accounts"]
                #expect(list?[0]?["grant"] == .string("client_credentials"))
                #expect(list?[0]?["state"] == .string("active"))
                #expect(try stage.vault("status", "work", "--check").code == 0)
            }
        }

        @Test func anAccountBecomesAPersonsAndAMachinesAgain() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                let first = try stage.login(
                    "work",
                    at: server,
                    clientID: server.address.confidentialClientID,
                    secret: server.address.confidentialClientSecret
                )
                #expect(first.code == 0, "\(first)")
                #expect(try stage.refreshToken(of: "work") != nil)
                // The client and its secret are the account's already.
                let machine = try stage.vault(["login", "work"] + Self.flow)
                #expect(machine.code == 0, "\(machine)")
                #expect(try stage.refreshToken(of: "work") == nil)
                let back = try stage.login(
                    "work",
                    issuer: nil,
                    clientID: nil,
                    ["--flow", "browser"]
                ) { try stage.follow($0) }
                #expect(back.code == 0, "\(back)")
                #expect(try stage.refreshToken(of: "work") != nil)
                #expect(try stage.vault("refresh", "work").code == 0)
            }
        }

        @Test func whoHasNoCredentialsOrWrongOnesIsTold() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                let words = ["login", "work", "--issuer", server.issuer] + Self.flow
                let nobody = try stage.vault(words)
                #expect(nobody.code == 2 && nobody.errorLines.count == 1, "\(nobody)")
                #expect(nobody.err.contains("--client-id ID is missing"))
                let bare = try stage.vault(words + ["--client-id", "test-public"])
                #expect(bare.code == 2 && bare.errorLines.count == 1, "\(bare)")
                #expect(bare.err.contains("--client-secret-fd N is missing"))
                #expect(try server.statistics().tokenRequests == 0)
                let wrong = try stage.machineLogin("work", server, Self.flow, secret: "wrong")
                #expect(wrong.code == 1 && wrong.errorLines.count == 1, "\(wrong)")
                #expect(wrong.err.contains("invalid_client"))
                #expect(try stage.vault("token", "work").code == 3)
            }
        }

        @Test func whoGoesLeavesNoTokenBehind() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try server.script(#"[{"delayAfterCommit":2}]"#)
                let run = try stage.start(stage.machineLaunch("work", server, Self.flow))
                #expect(try poll(seconds: 20) { try server.statistics().tokenRequests == 1 })
                run.process.kill(SIGINT)
                let ended = try stage.finish(run, seconds: 10)
                #expect(ended.code == 128 + SIGINT, "\(ended)")
                // The answer was on its way: its token is ended when it comes.
                #expect(try poll(seconds: 20) { try server.statistics().revocations == 1 })
                #expect(try stage.vault("token", "work").code == 3)
                #expect(try Files.text(stage.log).contains("sign_in_dropped"))
            }
        }

        @Test(arguments: [RealServer.Kind.glewlwyd, .dot])
        func aRealServerGivesAClientItsToken(kind: RealServer.Kind) throws {
            try withRealServer(kind) { stage, server, _ in
                let client = kind == .dot ? "CC_CLIENT" : "CLIENT"
                let (id, secret) = (server["\(client)_ID"], server["\(client)_SECRET"])
                var launch = try stage.vaultLaunch(
                    ["login", "work", "--issuer", server.issuer, "--scope", "read"]
                        + ["--client-id", id, "--client-secret-fd", "7"] + Self.flow
                        + server.revocationOptions
                )
                launch.descriptors[7] = "\(secret)\n"
                let ended = try stage.run(launch)
                #expect(ended.code == 0, "\(ended)")
                let first = try stage.vault("token", "work").word
                #expect(try server.isActive(first, for: id, secret))
                #expect(try stage.vault("refresh", "work").code == 0)
                let second = try stage.vault("token", "work").word
                #expect(try first != second && server.isActive(second, for: id, secret))
                let again = try stage.vault("login", "work")
                #expect(again.code == 0, "\(again)")
                let last = try stage.vault("token", "work").word
                #expect(try stage.vault("logout", "work").code == 0)
                #expect(try !server.isActive(last, for: id, secret))
            }
        }
    }
}

extension Stage {
    /// A sign-in of the test server's confidential client as itself, to be started.
    fileprivate func machineLaunch(
        _ name: String,
        _ server: TestServer,
        _ more: [String],
        secret: String? = nil
    ) throws -> Launch {
        var launch = try vaultLaunch(
            [
                "login", name, "--issuer", server.issuer, "--client-id",
                server.address.confidentialClientID, "--client-secret-fd", "7",
            ] + more
        )
        launch.descriptors[7] = "\(secret ?? server.address.confidentialClientSecret)\n"
        return launch
    }

    fileprivate func machineLogin(
        _ name: String,
        _ server: TestServer,
        _ more: [String],
        secret: String? = nil
    ) throws -> Ended {
        try run(machineLaunch(name, server, more, secret: secret))
    }
}
