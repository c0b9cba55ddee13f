import Testing

extension EndToEndTests {
    /// Signing out, and that the tokens are dead then.
    @Suite struct LogoutTests {
        private func signIn(_ stage: Stage, _ server: TestServer) throws -> String {
            let ended = try stage.login("work", issuer: server.issuer) { address in
                _ = try stage.follow(address)
            }
            #expect(ended.code == 0, "\(ended)")
            return try stage.vault("token", "work").word
        }

        @Test func theServerAcceptsTheTokenNoMore() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                let token = try signIn(stage, server)
                #expect(try server.present(token) == "200")
                let logout = try stage.vault("logout", "work", "--keep")
                #expect(logout.code == 0 && logout.err.contains("signed out"), "\(logout)")
                #expect(try server.present(token) == "401")
                #expect(try server.statistics().grantsAlive == 0)
                let gone = try stage.vault("token", "work")
                #expect(gone.code == 4 && gone.err.contains("signed out of"), "\(gone)")
                // Nothing has to be told for the next one.
                #expect(try stage.loginAgain("work").code == 0)
                let next = try stage.vault("token", "work").word
                #expect(try server.present(next) == "200")
                #expect(try stage.vault("logout", "work").code == 0)
                #expect(try server.present(next) == "401")
                #expect(try stage.vault("token", "work").code == 3)
            }
        }

        @Test("K08: a server that is away keeps the account, unless it is let go of by force")
        func failure() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                _ = try signIn(stage, server)
                server.stop()
                let logout = try stage.vault("logout", "work")
                #expect(logout.code == 1 && logout.err.contains("--force"), "\(logout)")
                #expect(try stage.vault("token", "work").code == 0)
                let forced = try stage.vault("logout", "work", "--force")
                #expect(forced.code == 1 && forced.err.contains("may live on"), "\(forced)")
                #expect(try stage.vault("token", "work").code == 3)
            }
        }
    }
}
