import Testing

extension EndToEndTests {
    /// Confidential clients, whose secret comes by a descriptor.
    @Suite struct ClientSecretTests {
        @Test(arguments: ["client_secret_basic", "client_secret_post"])
        func anAddedAccountRefreshesWithItsSecret(method: String) throws {
            try withStage { stage in
                let server = try stage.startServer()
                let client = server.address.confidentialClientID
                try stage.initialize()
                let added = try stage.vault(
                    [
                        "add", "work", "--token-endpoint", server.address.tokenEndpoint,
                        "--client-id", client, "--client-secret-fd", "9", "--client-auth", method,
                    ],
                    input: server.issue(client: client),
                    descriptors: [9: server.address.confidentialClientSecret + "\n"]
                )
                #expect(added.code == 0, "\(added)")
                let refreshed = try stage.vault("refresh", "work")
                #expect(refreshed.code == 0, "\(refreshed)")
                #expect(try server.statistics().refreshes == 1)
            }
        }

        @Test func aLoginExchangesAndRefreshesWithItsSecret() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                let signedIn = try stage.login(
                    "work",
                    at: server,
                    clientID: server.address.confidentialClientID,
                    secret: server.address.confidentialClientSecret
                )
                #expect(signedIn.code == 0, "\(signedIn)")
                #expect(try stage.vault("refresh", "work").code == 0)
                #expect(try server.statistics().refreshes == 1)
            }
        }

        @Test func aWrongSecretIsTheClientsFaultAndKeepsTheGrant() throws {
            try withStage { stage in
                let server = try stage.startServer()
                let client = server.address.confidentialClientID
                try stage.initialize()
                let added = try stage.vault(
                    [
                        "add", "work", "--token-endpoint", server.address.tokenEndpoint,
                        "--client-id", client, "--client-secret-fd", "9",
                    ],
                    input: server.issue(client: client),
                    descriptors: [9: "wrong"]
                )
                #expect(added.code == 0, "\(added)")
                let refreshed = try stage.vault("refresh", "work")
                #expect(refreshed.code == 1, "\(refreshed)")
                #expect(refreshed.err.contains("client"))
                // The token it has is still good, and no sign-in is asked for.
                #expect(try stage.vault("token", "work").code == 0)
                let account = try JSON(stage.vault("list", "--json").word)["accounts"]?[0]
                #expect(account?["state"] == .string("client_refused"))
            }
        }

        @Test func aRefusedSignInLeavesNoAccount() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                let signedIn = try stage.login(
                    "work",
                    at: server,
                    clientID: server.address.confidentialClientID,
                    secret: "wrong"
                )
                #expect(signedIn.code == 1 && signedIn.errorLines.count == 1, "\(signedIn)")
                #expect(try stage.vault("token", "work").code == 3)
            }
        }
    }
}
