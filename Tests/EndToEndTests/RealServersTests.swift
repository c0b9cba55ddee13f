import Glibc
import Testing

extension EndToEndTests {
    /// The same programs against authorization servers that others wrote.
    ///
    /// `make test-real-servers` runs this suite and `RealRefusals` alone.
    @Suite struct RealServersTests {
        @Test(arguments: [RealServer.Kind.glewlwyd, .dot])
        func signInAndRotationTwiceInARowInSeparateProcesses(kind: RealServer.Kind) throws {
            try withRealServer(kind) { stage, server, redirectURI in
                for (name, isPublic) in [("public", true), ("confidential", false)] {
                    try stage.login(name, server, redirectURI, isPublic: isPublic)
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

        @Test(arguments: [RealServer.Kind.glewlwyd, .dot])
        func aSignOutKillsTheTokens(kind: RealServer.Kind) throws {
            try withRealServer(kind) { stage, server, redirectURI in
                for (name, isPublic) in [("public", true), ("confidential", false)] {
                    try stage.login(
                        name,
                        server,
                        redirectURI,
                        isPublic: isPublic,
                        server.revocationOptions
                    )
                    let token = try stage.vault("token", name).word
                    #expect(try server.present(token) == "200")
                    let logout = try stage.vault("logout", name, "--keep")
                    // This one takes nothing back from a client without a secret.
                    if kind == .glewlwyd, isPublic {
                        #expect(logout.code == 1 && logout.err.contains("status 401"), "\(logout)")
                        #expect(try stage.vault("token", name).word == token)
                        continue
                    }
                    #expect(logout.code == 0, "\(logout)")
                    #expect(try server.present(token) != "200")
                    #expect(try stage.vault("token", name).code == 4)
                }
            }
        }

        /// Eight clients that do not know of each other lose the account here every time.
        @Test(arguments: [RealServer.Kind.glewlwyd, .dot])
        func eightClientsOfAnExpiredAccountKeepItAlive(kind: RealServer.Kind) throws {
            try withRealServer(kind, accessTokenLifetime: 5) { stage, server, redirectURI in
                try stage.login("work", server, redirectURI)
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
    }
}
