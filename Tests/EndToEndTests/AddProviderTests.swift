import Testing

extension EndToEndTests {
    /// `vault add` with what the refreshes of an account have of their own.
    @Suite struct AddProviderTests {
        private static let response =
            #"{"access_token":"at","refresh_token":"rt","token_type":"Bearer","expires_in":3600}"#

        @Test func aProviderThatIsNotKnownIsAWrongWord() throws {
            try withStage { stage in
                try stage.initialize()
                let ended = try stage.vault(
                    ["add", "work", "--provider", "gihub", "--client-id", "c"],
                    input: Self.response
                )
                #expect(ended.code == 2 && ended.stdout.isEmpty, "\(ended)")
                #expect(
                    ended.err
                        == """
                        vault: error: the catalogue has no provider 'gihub'
                        vault: hint: did you mean 'github'?

                        """
                )
                #expect(try JSON(stage.vault("list", "--json").word)["accounts"]?[0] == nil)
            }
        }

        @Test func theCatalogueKnowsWhereTokensComeFrom() throws {
            try withStage { stage in
                try stage.initialize()
                let added = try stage.vault(
                    ["add", "work", "--provider", "github", "--client-id", "c"],
                    input: Self.response
                )
                #expect(added.code == 0 && added.err == "vault: added account work\n", "\(added)")
                // Without its name the entry is only suggested.
                let other = try stage.vault(
                    [
                        "add", "home", "--client-id", "c", "--token-endpoint",
                        "https://github.com/login/oauth/access_token",
                    ],
                    input: Self.response.replacing(#""rt""#, with: #""rt-2""#)
                )
                #expect(other.code == 0 && other.err.contains("--provider github"), "\(other)")
                #expect(try stage.vault("token", "work").word == "at")
            }
        }

        @Test func aRefreshGoesWhereTheAccountSays() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                let added = try stage.vault(
                    [
                        "add", "work", "--client-id", server.address.publicClientID,
                        "--token-endpoint", "http://127.0.0.1:1/token",
                        "--refresh-endpoint", server.address.tokenEndpoint, "--rotation", "strict",
                    ],
                    input: server.issue()
                )
                #expect(added.code == 0, "\(added)")
                let refreshed = try stage.vault("refresh", "work")
                #expect(refreshed.code == 0, "\(refreshed)")
                #expect(try server.statistics().refreshes == 1)
            }
        }
    }
}
