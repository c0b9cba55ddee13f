import Glibc
import Testing

extension EndToEndTests {
    /// A refresh is sent once, whatever becomes of the answer.
    @Suite struct SentOnceTests {
        @Test func aConnectionThatDiesAfterTheServerHasReadIsNotTriedAgain() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                let port = try #require(
                    server.issuer.split(separator: ":").last.flatMap { UInt16($0) }
                )
                #expect(try stage.vault("refresh", "work").code == 0)
                // None is kept for the next refresh, which could not tell a dead one in time.
                #expect(try ProcessFacts.clientPorts(to: port).isEmpty)
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

        @Test func aServerThatNeverAnswersIsGivenUpInTime() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                try server.setStanding(#"{"delayBeforeCommit":600,"commits":false,"drop":true}"#)
                let ended = try stage.vault("refresh", "work")
                #expect(ended.code == 6 && ended.errorLines.count == 1, "\(ended)")
                #expect((25...40).contains(ended.seconds), "\(ended.seconds)")
                #expect(try server.statistics().tokenRequests == 1)
            }
        }

        /// An agent that is killed with a refresh under way leaves an intent behind.
        struct Kill: Sendable, CustomTestStringConvertible {
            let profile: String
            let commits: Bool
            /// How the next refresh ends.
            let code: Int32

            var testDescription: String { "\(profile), \(commits ? "committed" : "not committed")" }
        }

        @Test(arguments: [
            Kill(profile: "strict", commits: false, code: 0),
            Kill(profile: "grace:60", commits: true, code: 0),
            // Nobody can survive this; it is said, and no other account is touched.
            Kill(profile: "strict", commits: true, code: 4),
        ])
        func afterAKillInTheMiddleTheNextRefreshTriesOnce(kill row: Kill) throws {
            try withStage { stage in
                let server = try stage.startServer("--profile", row.profile)
                try stage.initialize()
                for name in ["work", "home"] { try stage.add(name, from: server) }
                try server.script(
                    #"[{"delayAfterCommit":3,"commits":\#(row.commits),"drop":true}]"#
                )
                let refresh = try stage.start(stage.vaultLaunch(["refresh", "work"]))
                #expect(try poll(seconds: 10) { try server.statistics().tokenRequests == 1 })
                usleep(50_000)
                let agent = ProcessFacts(pid: try stage.requireAgent())
                _ = Glibc.kill(agent.pid, SIGKILL)
                let cut = try stage.finish(refresh)
                #expect(cut.code == 6 && cut.stdout.isEmpty, "\(cut)")
                #expect(try stage.vault("token", "work").code == 0)
                let next = try stage.vault("refresh", "work")
                #expect(next.code == row.code && next.stdout.isEmpty, "\(next)")
                #expect(row.code == 0 || next.err.contains("vault login work"))
                #expect(try server.statistics().tokenRequests == 2)
                #expect(try stage.vault("refresh", "home").code == 0)
            }
        }

        @Test(arguments: ["", #","refresh_token":null"#, #","refresh_token":"""#])
        func anAnswerWithoutARefreshTokenKeepsTheOldOne(member: String) throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                let answer =
                    #"{"access_token":"plain","token_type":"Bearer","expires_in":60\#(member)}"#
                let quoted = answer.replacing("\"", with: "\\\"")
                try server.script(#"[{"status":200,"body":"\#(quoted)"}]"#)
                #expect(try stage.vault("refresh", "work").code == 0)
                #expect(try stage.vault("token", "work", "--min-valid", "30").word == "plain")
                #expect(try stage.vault("refresh", "work").code == 0)
                #expect(try stage.vault("token", "work").word.hasPrefix("test-at-"))
                #expect(try server.statistics().reuseDetections == 0)
            }
        }
    }
}
