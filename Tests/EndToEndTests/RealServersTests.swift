import Glibc
import Testing

extension EndToEndTests {
    /// The same programs against authorization servers that others wrote.
    ///
    /// `make test-real-servers` runs this suite alone.
    @Suite struct RealServersTests {
        private static let scope = [
            "--scope", "openid", "--scope", "offline_access", "--scope", "read",
        ]

        private func withServer(
            _ kind: RealServer.Kind,
            accessTokenLifetime: Int = 3600,
            _ body: (Stage, RealServer, _ redirectURI: String) throws -> Void
        ) throws {
            try withStage { stage in
                let redirectURI = "http://127.0.0.1:\(try freePort())/callback"
                guard
                    let server = try RealServer(
                        kind,
                        stage,
                        accessTokenLifetime: accessTokenLifetime,
                        redirects: [redirectURI]
                    )
                else { return }
                defer { server.stop() }
                try stage.initialize()
                try body(stage, server, redirectURI)
            }
        }

        private func login(
            _ name: String,
            _ stage: Stage,
            _ server: RealServer,
            _ redirectURI: String,
            isPublic: Bool = true
        ) throws {
            let ended = try stage.login(
                name,
                issuer: server.issuer,
                clientID: server[isPublic ? "PUBLIC_CLIENT_ID" : "CLIENT_ID"],
                Self.scope + ["--redirect-uri", redirectURI],
                secret: isPublic ? nil : server["CLIENT_SECRET"]
            ) { try server.browse($0) }
            #expect(ended.code == 0 && ended.stdout.isEmpty, "\(ended)")
        }

        @Test(arguments: [RealServer.Kind.glewlwyd, .dot])
        func signInAndRotationTwiceInARowInSeparateProcesses(kind: RealServer.Kind) throws {
            try withServer(kind) { stage, server, redirectURI in
                for (name, isPublic) in [("public", true), ("confidential", false)] {
                    try login(name, stage, server, redirectURI, isPublic: isPublic)
                    var tokens = [try stage.vault("token", name).word]
                    #expect(try server.present(tokens[0]) == "200")
                    for _ in 1...2 {
                        // Each by an agent of its own, from what the one before has stored.
                        #expect(try stage.vault("agent", "stop").code == 0)
                        let refreshed = try stage.vault("refresh", name)
                        #expect(refreshed.code == 0, "\(refreshed)")
                        let token = try stage.vault("token", name)
                        #expect(token.code == 0, "\(token)")
                        #expect(try server.present(token.word) == "200")
                        tokens.append(token.word)
                    }
                    #expect(Set(tokens).count == 3)
                }
                let accounts = try JSON(stage.vault("list", "--json").word)["accounts"]?.items
                #expect(accounts?.map { $0["state"] } == [.string("active"), .string("active")])
                #expect(accounts?.allSatisfy { $0["issuer"] == .string(server.issuer) } == true)
            }
        }

        /// Eight clients that do not know of each other lose the account here every time.
        @Test(arguments: [RealServer.Kind.glewlwyd, .dot])
        func eightClientsOfAnExpiredAccountKeepItAlive(kind: RealServer.Kind) throws {
            try withServer(kind, accessTokenLifetime: 5) { stage, server, redirectURI in
                try login("work", stage, server, redirectURI)
                let first = try stage.vault("token", "work").word
                #expect(try stage.vault("agent", "stop").code == 0)
                usleep(5_200_000)
                let launches = try (0..<8).map { index in
                    index.isMultiple(of: 2)
                        ? try stage.vaultLaunch(["token", "work"])
                        : try stage.launch(Programs.vaultKitClient(), ["work"])
                }
                let ended = try stage.together(launches)
                for end in ended { #expect(end.code == 0, "\(end)") }
                let tokens = Set(ended.map(\.word))
                #expect(tokens.count == 1 && !tokens.contains(first))
                #expect(try server.present(tokens.first ?? "") == "200")
                for _ in 1...2 { #expect(try stage.vault("refresh", "work").code == 0) }
            }
        }

        @Test(arguments: [(RealServer.Kind.glewlwyd, Int32(6)), (.dot, 4)])
        func aRevokedGrantIsRefused(kind: RealServer.Kind, code: Int32) throws {
            try withServer(kind) { stage, server, redirectURI in
                let response = try server.tokenResponse(redirectURI: redirectURI)
                let added = try stage.vault(
                    [
                        "add", "work", "--token-endpoint", server.tokenEndpoint, "--client-id",
                        server["CLIENT_ID"], "--client-secret-fd", "9",
                    ],
                    input: response,
                    descriptors: [9: server["CLIENT_SECRET"]]
                )
                #expect(added.code == 0, "\(added)")
                #expect(try stage.vault("refresh", "work").code == 0)
                let next = try server.tokenResponse(redirectURI: redirectURI)
                let lost = try stage.vault(
                    [
                        "add", "lost", "--token-endpoint", server.tokenEndpoint, "--client-id",
                        server["CLIENT_ID"], "--client-secret-fd", "9",
                    ],
                    input: next,
                    descriptors: [9: server["CLIENT_SECRET"]]
                )
                #expect(lost.code == 0, "\(lost)")
                try server.revoke(#require(JSON(next)["refresh_token"]?.string))
                // Glewlwyd answers 400 and an empty body, which is no refusal in so many words.
                let refused = try stage.vault("refresh", "lost")
                #expect(refused.code == code, "\(refused)")
                #expect(refused.stdout.isEmpty && refused.errorLines.count == 1, "\(refused)")
                #expect(try stage.vault("refresh", "work").code == 0)
            }
        }
    }
}
