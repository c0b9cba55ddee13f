import Testing

extension EndToEndTests {
    /// `vault provider`, and signing in at a provider by its name.
    @Suite struct ProviderTests {
        private static func own(_ server: TestServer, _ token: String = "token") -> String {
            """
            {"acme": {"title": "Acme", "authorization_endpoint": "\(server.issuer)/authorize",
              "token_endpoint": "\(server.issuer)/\(token)", "refresh_token_scope": ["offline_access"]}}
            """
        }

        /// A provider whose server publishes other endpoints by now.
        private static func moved(_ server: TestServer) -> String {
            """
            {"acme": {"title": "Acme", "issuer": "\(server.issuer)",
              "authorization_endpoint": "\(server.issuer)/authorize",
              "token_endpoint": "\(server.issuer)/token?old=1",
              "revocation": {"endpoint": "\(server.issuer)/revoke?old=1"}}}
            """
        }

        private static func write(_ text: String, _ stage: Stage) throws -> String {
            let folder = stage.vaultHome + "/providers"
            if !Files.exists(folder) { _ = try stage.system("mkdir", ["-m", "700", folder]) }
            try Files.write(text, to: folder + "/acme.json")
            _ = try stage.system("chmod", ["600", folder + "/acme.json"])
            return folder + "/acme.json"
        }

        @Test func theCatalogueIsShown() throws {
            try withStage { stage in
                let list = try stage.vault("provider", "list")
                #expect(list.code == 0 && list.err.isEmpty, "\(list)")
                #expect(list.out.contains("Google") && list.out.contains("browser, device"))
                let document = try JSON(stage.vault("provider", "list", "--json").word)
                #expect(document["providers"]?.items.count ?? 0 > 50)
                let one = try stage.vault("provider", "show", "microsoft")
                #expect(one.code == 0 && one.out.contains("--provider-param tenant="), "\(one)")
                #expect(one.out.contains("source"))
                let json = try JSON(stage.vault("provider", "show", "google", "--json").word)
                #expect(
                    json["provider"]?["token_endpoint"]?.string
                        == "https://oauth2.googleapis.com/token"
                )
                let wrong = try stage.vault("provider", "show", "gogle")
                #expect(wrong.code == 2 && wrong.err.contains("did you mean 'google'?"))
            }
        }

        @Test func aProviderOfYourOwnIsNamedAndSealed() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                let file = try Self.write(Self.own(server), stage)
                let login = try stage.login("work", issuer: nil, ["--provider", "acme"]) {
                    _ = try stage.follow($0)
                }
                #expect(login.code == 0, "\(login)")
                #expect(login.err.contains("provider acme is your own: \(file)"))
                #expect(login.err.contains("token_endpoint \(server.issuer)/token"))
                #expect(try stage.vault("refresh", "work").code == 0)

                // The file leads nobody elsewhere who does not sign in by its name again.
                _ = try Self.write(Self.own(server, "elsewhere"), stage)
                #expect(try stage.vault("refresh", "work").code == 0)
                let again = try stage.loginAgain("work")
                #expect(again.code == 0 && !again.err.contains("is your own"), "\(again)")
                #expect(!again.err.contains("_endpoint"))
            }
        }

        @Test func aBrokenFileIsNamedWithItsLine() throws {
            try withStage { stage in
                try stage.initialize()
                let file = try Self.write("{\n\"acme\": {\"title\": 1}}", stage)
                let login = try stage.vault(
                    "login",
                    "work",
                    "--provider",
                    "acme",
                    "--client-id",
                    "c"
                )
                #expect(login.code == 1, "\(login)")
                #expect(login.err.contains("\(file), line 2: 'acme.title' has to be a text"))
                #expect(try stage.vault("provider", "show", "google").code == 0)
            }
        }

        @Test func whatAProviderHasToBeToldIsAskedFor() throws {
            try withStage { stage in
                try stage.initialize()
                let words = ["login", "work", "--provider", "shopify", "--client-id", "c"]
                let missing = try stage.vault(words)
                #expect(missing.code == 2 && missing.err.contains("--provider-param shop=…"))
                let wrong = try stage.vault(words + ["--provider-param", "shop=evil.example/"])
                #expect(wrong.code == 2, "\(wrong)")
            }
        }

        @Test func endpointsThatMovedAreTakenOnceSomebodyAgrees() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                _ = try Self.write(Self.moved(server), stage)
                let login = try stage.login("work", issuer: nil, ["--provider", "acme"]) {
                    _ = try stage.follow($0)
                }
                #expect(login.code == 0, "\(login)")
                let doctor = try stage.vault("doctor", "--online")
                #expect(doctor.out.contains("publishes another revocation_endpoint"), "\(doctor)")
                #expect(doctor.out.contains("token_endpoint \(server.issuer)/token"), "\(doctor)")

                let update = ["provider", "update", "work"]
                let alone = try stage.vault(update)
                #expect(alone.code == 1 && alone.stdout.isEmpty, "\(alone)")
                #expect(alone.err.contains("\(server.issuer)/token?old=1"), "\(alone)")
                #expect(alone.err.contains("nobody agreed"), "\(alone)")
                let no = try stage.atTerminal(update) { person in
                    try person.answer("Type yes: ", "no")
                }
                #expect(no.code == 1, "\(no)")
                let asked = try stage.vault(update)
                #expect(asked.code == 1 && asked.err.contains("token?old=1"), "\(asked)")
                let yes = try stage.atTerminal(update) { person in
                    try person.answer("Type yes: ", "yes")
                }
                #expect(yes.code == 0 && yes.err.contains("from now on"), "\(yes)")
                let same = try stage.vault(update + ["--yes"])
                #expect(same.code == 0 && same.err.contains("as they were"), "\(same)")
                #expect(try stage.vault("refresh", "work").code == 0)
                #expect(try stage.vault("doctor", "--online").out.contains("endpoints: 1 of 1"))
                #expect(try stage.vault("logout", "work").code == 0)
                #expect(try server.statistics().grantsAlive == 0)
            }
        }

        @Test func theCodeThatAPageShowsIsPastedAlone() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                let shows = Self.own(server).replacing(
                    #""title": "Acme","#,
                    with: #""title": "Acme", "displays_code": true,"#
                )
                _ = try Self.write(shows, stage)
                let person = try Person()
                var launch = try stage.vaultLaunch([
                    "login", "work", "--no-browser", "--provider", "acme", "--client-id",
                    "test-public",
                ])
                launch.terminal = person.terminal
                let run = try stage.start(launch)
                let address = try stage.authorizationURL(of: run)
                #expect(try poll(seconds: 30) { run.stderrSoFar.contains("does not show") })
                #expect(run.stderrSoFar.contains("paste the code that the page shows"))
                let redirect = try stage.redirect(of: address)
                let code = try #require(redirect.firstMatch(of: /[?&]code=([^&]+)/)).1
                person.terminal.type("\(code)\n")
                let ended = try stage.finish(run)
                #expect(ended.code == 0 && !person.seen.contains(code), "\(ended)")
                #expect(try stage.vault("token", "work").code == 0)
            }
        }

        @Test func whereAClientIsRegisteredIsSaid() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                let console = "https://acme.example/apps"
                let text = Self.own(server).replacing(
                    #""title": "Acme","#,
                    with: #""title": "Acme", "console": "\#(console)","#
                )
                _ = try Self.write(text, stage)
                let ended = try stage.vault("login", "work", "--provider", "acme")
                #expect(ended.code == 2, "\(ended)")
                #expect(ended.err.contains("register a native application at \(console), with"))
                #expect(ended.err.contains("\nvault: http://127.0.0.1:8400/callback\n"))
            }
        }

        @Test func anAccountOfAProviderOfYourOwnIsAdded() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                let text = Self.own(server).replacing(
                    #""title": "Acme","#,
                    with:
                        #""title": "Acme", "revocation": {"endpoint": "\#(server.issuer)/revoke"},"#
                )
                let file = try Self.write(text, stage)
                let words = ["add", "work", "--provider", "acme", "--client-id", "test-public"]
                let added = try stage.vault(words, input: server.issue())
                #expect(added.code == 0, "\(added)")
                #expect(added.err.contains("provider acme is your own: \(file)"), "\(added)")
                #expect(try stage.vault("refresh", "work").code == 0)
                #expect(try stage.vault("logout", "work").code == 0)
                #expect(try server.statistics().grantsAlive == 0)
                // Without a provider somebody says where.
                let place = [
                    "add", "home", "--client-id", "test-public", "--token-endpoint",
                    server.address.tokenEndpoint, "--revocation-endpoint",
                    "\(server.issuer)/revoke",
                ]
                #expect(try stage.vault(place, input: server.issue()).code == 0)
                #expect(try stage.vault("logout", "home").code == 0)
                #expect(try server.statistics().grantsAlive == 0)
            }
        }

        @Test func endpointsThatAreTheSameNeedNoUpdate() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                #expect(try stage.login("work", at: server).code == 0)
                let same = try stage.vault("provider", "update", "work")
                #expect(same.code == 0 && same.stdout.isEmpty, "\(same)")
                #expect(same.err.contains("as they were"))
                let doctor = try stage.vault("doctor", "--online")
                #expect(doctor.out.contains("endpoints: 1 of 1 accounts"), "\(doctor)")
            }
        }
    }
}
