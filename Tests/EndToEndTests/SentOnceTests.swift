import Testing

extension EndToEndTests {
    /// A refresh is sent once, whatever becomes of the answer.
    @Suite struct SentOnceTests {
        @Test func aKeptConnectionThatDiesAfterTheServerHasReadIsNotTriedAgain() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                let port = try #require(
                    server.issuer.split(separator: ":").last.flatMap { UInt16($0) }
                )
                #expect(try stage.vault("refresh", "work").code == 0)
                let first = try ProcessFacts.clientPorts(to: port)
                #expect(try stage.vault("refresh", "work").code == 0)
                // The connection was kept, and is the one that the next request goes over.
                #expect(try !first.isEmpty && ProcessFacts.clientPorts(to: port) == first)
                try server.script(#"[{"drop":true}]"#)
                let before = try server.statistics()
                let ended = try stage.vault("refresh", "work")
                let after = try server.statistics()
                #expect(ended.code == 6 && ended.errorLines.count == 1, "\(ended)")
                #expect(ended.stdout.isEmpty)
                #expect(after.tokenRequests == before.tokenRequests + 1)
                #expect(after.mostPostsOfOneRefreshToken == 1)
                // The token that is there is still good.
                #expect(try stage.vault("token", "work").code == 0)
                let account = try JSON(stage.vault("list", "--json").word)["accounts"]?[0]
                #expect(account?["state"] == .string("outcome_unknown"))
            }
        }

        @Test(
            arguments: [
                #"{"drop":true,"commits":false}"#, #"{"status":500}"#,
                #"{"status":400,"body":"<html>"}"#,
                #"{"status":200,"body":"<html>sign in</html>"}"#,
                #"{"status":302,"headers":{"Location":"http://127.0.0.1:1/portal"}}"#,
                #"{"status":307,"headers":{"Location":"http://127.0.0.1:1/portal"}}"#,
                #"{"status":200,"body":"{\"access_token\":\"cut"}"#, #"{"raw":"nonsense\r\n\r\n"}"#,
            ]
        )
        func noAnswerMakesItSendTwice(answer: String) throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                try server.script("[\(answer)]")
                let ended = try stage.vault("refresh", "work")
                #expect(ended.code == 6 || ended.code == 1, "\(ended)")
                #expect(ended.stdout.isEmpty && ended.errorLines.count == 1, "\(ended)")
                #expect(!ended.err.contains("cut"))
                let counted = try server.statistics()
                #expect(counted.tokenRequests == 1)
                #expect(counted.mostPostsOfOneRefreshToken == 1)
                // The grant is kept, and the token that is there is good.
                #expect(try stage.vault("token", "work").code == 0)
                let state = try JSON(stage.vault("list", "--json").word)["accounts"]?[0]?["state"]
                #expect(state != .string("sign_in_needed"))
            }
        }
    }
}
