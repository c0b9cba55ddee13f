import Testing

extension EndToEndTests {
    /// Whatever goes wrong: its exit code, one clear line, nothing on standard output, and a vault
    /// that is as it was.
    @Suite struct ErrorTests {
        @Test func eachWrongCallSaysSoAndChangesNothing() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                try stage.add("home", from: server)
                _ = try stage.vault("remove", "work")
                // None is chosen now, and the agent has nothing to write for an hour.
                let endpoint = ["--token-endpoint", server.address.tokenEndpoint]
                let client = ["--client-id", "test-public"]
                let rows: [(code: Int32, words: [String])] = [
                    (3, ["token"]), (3, ["token", "nobody"]), (3, ["refresh", "nobody"]),
                    (3, ["switch", "nobody"]), (3, ["remove", "nobody"]),
                    (3, ["status", "nobody"]),
                    (1, ["init", "--key-file"]),
                    (2, []), (2, ["tokken"]), (2, ["token", "--jason"]), (2, ["token", "a/b"]),
                    (2, ["token", "home", "work"]), (2, ["token", "--min-valid", "soon"]),
                    (2, ["token", "--min-valid"]), (2, ["token", "--json", "--json"]),
                    (2, ["switch"]), (2, ["init"]), (2, ["agent"]), (2, ["agent", "dance"]),
                    (2, ["add", "new"] + client), (2, ["add", "new"] + endpoint),
                    (2, ["add"] + endpoint + client),
                    (2, ["add", "-new"] + endpoint + client),
                    (2, ["add", "new", "--token-endpoint", "ftp://host/token"] + client),
                    (2, ["add", "new", "--token-endpoint", "http://host.example/token"] + client),
                    (2, ["add", "new", "--client-auth", "magic"] + endpoint + client),
                    (
                        2,
                        ["add", "new", "--client-auth", "client_secret_basic"] + endpoint + client
                    ),
                    (2, ["login", "new"] + client),
                    (2, ["login", "new", "--issuer", "no url"] + client),
                ]
                for row in rows {
                    try expectRefused(stage, code: row.code, row.words)
                }
                let spaced = try stage.vault(["token"], environment: ["VAULT_ACCOUNT": "a b"])
                #expect(spaced.code == 2 && spaced.stdout.isEmpty, "\(spaced)")
            }
        }

        @discardableResult
        private func expectRefused(
            _ stage: Stage,
            code: Int32,
            _ words: [String],
            input: String = "",
            environment: [String: String?] = [:]
        ) throws -> Ended {
            let before = try? Files.read(stage.database)
            let ended = try stage.vault(words, input: input, environment: environment)
            #expect(ended.code == code, "\(ended)")
            #expect(ended.stdout.isEmpty && ended.errorLines.count == 1, "\(ended)")
            let others = ended.err.split(separator: "\n").filter {
                !$0.hasPrefix("vault: error: ") && !$0.hasPrefix("vault: hint: ")
            }
            #expect(others.isEmpty, "\(ended)")
            #expect((try? Files.read(stage.database)) == before, "the file changed: \(ended)")
            return ended
        }

        @Test(
            arguments: [
                "", "not json", "<html><body>Sign in</body></html>", "[]", "null", "42", "{}",
                #"{"error":"invalid_grant"}"#, #"{"refresh_token":"alone"}"#,
                #"{"access_token":""}"#, #"{"access_token":7}"#, #"{"access_token":"cut off"#,
            ]
        )
        func whatIsNoTokenResponseIsNotAdded(input: String) throws {
            try withStage { stage in
                try stage.initialize()
                let ended = try expectRefused(
                    stage,
                    code: 1,
                    [
                        "add", "work", "--token-endpoint", "http://127.0.0.1:1/token",
                        "--client-id", "test-public",
                    ],
                    input: input
                )
                // Not for this an agent.
                #expect(!Files.exists(stage.socket))
                #expect(input.count < 3 || !ended.err.contains(input))
            }
        }

        @Test func namesAndGrantsAreAddedOnce() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                let words = [
                    "--token-endpoint", server.address.tokenEndpoint, "--client-id", "test-public",
                ]
                let response = try server.issue()
                #expect(try stage.vault(["add", "work"] + words, input: response).code == 0)
                let other = try server.issue()
                let taken = try expectRefused(
                    stage,
                    code: 1,
                    ["add", "work"] + words,
                    input: other
                )
                #expect(taken.err.contains("work"))
                let known = try expectRefused(
                    stage,
                    code: 1,
                    ["add", "home"] + words,
                    input: response
                )
                #expect(known.err.contains("work"))
                // A refresh token that was spent is known as well (it would end the whole grant).
                #expect(try stage.vault("refresh", "work").code == 0)
                try expectRefused(stage, code: 1, ["add", "home"] + words, input: response)
                // Also once its account is gone.
                #expect(try stage.vault("remove", "work").code == 0)
                try expectRefused(stage, code: 1, ["add", "home"] + words, input: response)
                #expect(try server.statistics().reuseDetections == 0)
            }
        }

        @Test func withoutAVaultEveryCommandSaysSo() throws {
            try withStage { stage in
                let rows = [
                    ["list"], ["token"], ["token", "work"], ["status"], ["switch", "work"],
                    ["refresh", "work"], ["remove", "work"], ["agent", "start"],
                    ["login", "w", "--issuer", "http://127.0.0.1:1", "--client-id", "c"],
                ]
                for words in rows {
                    let ended = try expectRefused(stage, code: 1, words)
                    #expect(ended.err.contains(stage.vaultHome), "\(ended)")
                }
                #expect(!Files.exists(stage.vaultHome))
            }
        }

        @Test func withoutAnyHomeItSaysSo() throws {
            try withStage { stage in
                let none: [String: String?] = [
                    "VAULT_HOME": nil, "HOME": nil, "XDG_STATE_HOME": nil,
                ]
                for words in [["list"], ["token"], ["init", "--key-file"], ["agent", "start"]] {
                    try expectRefused(stage, code: 1, words, environment: none)
                }
                // A place for the vault, none for the key file.
                let keyless: [String: String?] = ["HOME": nil, "XDG_STATE_HOME": nil]
                try expectRefused(stage, code: 1, ["init", "--key-file"], environment: keyless)
                #expect(!Files.exists(stage.database))
            }
        }

        @Test func anUnreachableServerIsATemporaryFailure() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("home", from: server)
                try stage.addExpired(["work"], from: server)
                server.stop()
                for words in [["token", "work"], ["refresh", "work"], ["refresh", "home"]] {
                    let ended = try stage.vault(words)
                    #expect(ended.code == 6, "\(ended)")
                    #expect(ended.stdout.isEmpty && ended.errorLines.count == 1, "\(ended)")
                    #expect(ended.err.contains("127.0.0.1"), "\(ended)")
                }
                #expect(try stage.vault("token", "home").code == 0)
                let login = try stage.vault(
                    ["login", "new", "--issuer", server.issuer, "--client-id", "test-public"]
                )
                #expect(login.code == 6 && login.errorLines.count == 1, "\(login)")
            }
        }
    }
}
