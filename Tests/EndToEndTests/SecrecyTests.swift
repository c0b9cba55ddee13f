import Glibc
import Testing

extension EndToEndTests {
    /// Whatever is done: no token and no secret shows up anywhere but where it was asked for.
    @Suite struct SecrecyTests {
        /// Every token, code and secret of the server begins with it.
        private static let canary = "CANARYq7Zk"

        @Test func theSearchFindsWhatIsThere() {
            let search = SecretSearch(for: Self.canary)
            let base64 = "eHhDQU5BUllxN1prLXJ0LTE="  // "xx", the canary, and more
            let texts = [
                "a \(Self.canary)-rt-1", base64, "43414E4152597137", "43414e41525971375a6b",
            ]
            #expect(
                texts.map { search.firstFound(in: Array($0.utf8)) != nil } == [
                    true, true, false, true,
                ]
            )
            let wide = Array("x\(Self.canary)".utf8).flatMap { [$0, UInt8(0)] }
            #expect(search.firstFound(in: wide) == "UTF-16LE")
            #expect(search.firstFound(in: Array("nothing".utf8)) == nil)
        }

        @Test func nothingSecretIsWrittenDownOrSaid() throws {
            try withStage { stage in
                let client = "client-\(UInt64.random(in: .min ... .max))"
                let server = try stage.startServer(
                    "--token-prefix",
                    Self.canary,
                    "--client",
                    client
                )
                try stage.initialize()
                try useEverything(stage, server, client)
                let secrets = SecretSearch(for: Self.canary)
                for ended in stage.history {
                    let isAsked = ended.command.dropFirst().first == "token" && ended.code == 0
                    let outputs = isAsked ? [ended.stderr] : [ended.stdout, ended.stderr]
                    for output in outputs {
                        #expect(secrets.firstFound(in: output) == nil, "\(ended)")
                    }
                }
                let agent = try stage.requireAgent()
                var places = ["\(stage.vaultHome)/agent.log", "/proc/\(agent)/cmdline"]
                if NotRun.isRoot {
                    places.append("/proc/\(agent)/environ")
                } else {
                    try NotRun.needsRoot("a search of the agent's environment for secrets")
                }
                for path in places {
                    #expect(try secrets.firstFound(in: Files.read(path)) == nil, "\(path)")
                }
                try expectSealed(stage, [Self.canary, client, server.issuer, "127.0.0.1"])
                #expect(try stage.vault("remove", "added").code == 0)
                try expectSealed(stage, [Self.canary, client, server.issuer, "127.0.0.1"])
            }
        }

        /// Every verb, and refreshes that end in every way.
        private func useEverything(
            _ stage: Stage,
            _ server: TestServer,
            _ client: String
        ) throws {
            let secret = server.address.confidentialClientSecret
            let confidential = server.address.confidentialClientID
            #expect(secret.hasPrefix(Self.canary))
            #expect(try stage.login("public", at: server, clientID: client).code == 0)
            let signedIn = try stage.login(
                "conf",
                at: server,
                clientID: confidential,
                secret: secret
            )
            #expect(signedIn.code == 0, "\(signedIn)")
            let response = try server.issue(client: client)
            let added = [
                "--token-endpoint", server.address.tokenEndpoint, "--client-id", client,
                "--issuer", server.issuer,
            ]
            #expect(try stage.vault(["add", "added"] + added, input: response).code == 0)
            #expect(try stage.vault(["add", "other"] + added, input: response).code == 1)
            let cut = response.dropLast(3)
            #expect(try stage.vault(["add", "other"] + added, input: String(cut)).code == 1)
            for name in ["public", "conf", "added"] {
                let token = try stage.vault("token", name)
                #expect(token.code == 0 && token.word.hasPrefix(Self.canary))
                #expect(try stage.vault("token", name, "--json").code == 0)
                #expect(try stage.vault("refresh", name).code == 0)
                for _ in 1...2 { try failOnce(stage, server, name) }
            }
            for words in [
                ["list"], ["list", "--json"], ["status"], ["status", "--json"], ["switch", "conf"],
                ["agent", "status"], ["token", "nobody"], ["remove", "public"], ["help"],
            ] {
                _ = try stage.vault(words)
            }
            try refuseWithAnEcho(stage, server, client)
        }

        private func failOnce(_ stage: Stage, _ server: TestServer, _ name: String) throws {
            try server.script(#"[{"status":500,"body":"\#(Self.canary)-at-in-an-error"}]"#)
            #expect(try stage.vault("refresh", name).code == 6)
            let cut = #"{\"access_token\":\"\#(Self.canary)-at-cut"#
            try server.script(#"[{"status":200,"body":"\#(cut)"}]"#)
            #expect(try stage.vault("refresh", name).code == 6)
        }

        /// A server that repeats the refresh token in its error.
        private func refuseWithAnEcho(
            _ stage: Stage,
            _ server: TestServer,
            _ client: String
        ) throws {
            let response = try server.issue(client: client)
            let refreshToken = try #require(JSON(response)["refresh_token"]?.string)
            let added = [
                "add", "echo", "--token-endpoint", server.address.tokenEndpoint, "--client-id",
                client,
            ]
            #expect(try stage.vault(added, input: response).code == 0)
            let description = "the token \(refreshToken) is of no use"
            let body = #"{\"error\":\"invalid_grant\",\"error_description\":\"\#(description)\"}"#
            try server.script(#"[{"status":400,"body":"\#(body)"}]"#)
            let refused = try stage.vault("refresh", "echo")
            #expect(refused.code == 4 && refused.err.contains("invalid_grant"), "\(refused)")
        }

        private func expectSealed(_ stage: Stage, _ texts: [String]) throws {
            let names = try Files.names(in: stage.vaultHome).filter { $0.hasPrefix("vault.") }
            #expect(names.contains("vault.db-journal"))
            for name in names {
                let bytes = try Files.read("\(stage.vaultHome)/\(name)")
                for text in texts {
                    let found = SecretSearch(for: text).firstFound(in: bytes)
                    #expect(found == nil, "\(text) in \(name)")
                }
            }
        }
    }
}
