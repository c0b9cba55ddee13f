import Testing

extension EndToEndTests {
    /// A real server whose certificate an authority of its own has signed.
    @Suite struct OwnAuthorityTests {
        @Test func isTrustedByTheAccountsThatWereToldSo() throws {
            try withRealServer(.glewlwyd, settings: ["TLS": "1"]) { stage, server, redirectURI in
                #expect(server.issuer.hasPrefix("https://127.0.0.1:"))
                let client = ["--client-id", server["PUBLIC_CLIENT_ID"], "--no-browser"]
                let login = ["login", "work", "--issuer", server.issuer] + client
                let refused = try stage.vault(login)
                #expect(refused.code == 6, "\(refused)")
                #expect(refused.err.contains("nobody who is trusted signed its certificate"))
                #expect(refused.err.contains("--ca-file PATH"))

                let authority = "\(stage.root)/authority.pem"
                try Files.write(Files.text(server["CA_FILE"]), to: authority)
                try stage.login("work", server, redirectURI, ["--ca-file", authority])
                // What the account trusts is in its seal: the file is not looked at again.
                try Files.write("", to: authority)
                #expect(try stage.vault("agent", "stop").code == 0)
                let refreshed = try stage.vault("refresh", "work")
                #expect(refreshed.code == 0, "\(refreshed)")
                #expect(try server.present(stage.vault("token", "work").word) == "200")

                let empty = try stage.vault(login + ["--ca-file", authority])
                #expect(empty.code == 1 && empty.err.contains("has no certificate in it"))
            }
        }
    }
}
