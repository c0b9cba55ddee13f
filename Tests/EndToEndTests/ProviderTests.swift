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
