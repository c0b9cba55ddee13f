import Testing

extension EndToEndTests {
    /// Answers that come too late, or to nobody.
    @Suite struct LateAnswerTests {
        struct Profile: Sendable, CustomTestStringConvertible {
            let name: String
            /// How a person's next refresh ends.
            let code: Int32

            var testDescription: String { name }
        }

        @Test(arguments: [
            Profile(name: "none", code: 0), Profile(name: "ack-on-use", code: 0),
            Profile(name: "grace:30", code: 0), Profile(name: "grace-once:30", code: 0),
            // Nobody can survive this; it is said, and the token that is there is kept.
            Profile(name: "strict", code: 4),
        ])
        func anAnswerDroppedAfterTheServersCommitIsAskedForOnceMore(profile: Profile) throws {
            try withStage { stage in
                let server = try stage.startServer("--profile", profile.name)
                try stage.initialize()
                try stage.add("work", from: server)
                try server.script(#"[{"drop":true}]"#)
                let lost = try stage.vault("refresh", "work")
                #expect(lost.code == 6 && lost.stdout.isEmpty, "\(lost)")
                #expect(try state(of: "work", stage) == "outcome_unknown")
                #expect(try stage.vault("token", "work").code == 0)
                let next = try stage.vault("refresh", "work")
                #expect(next.code == profile.code && next.stdout.isEmpty, "\(next)")
                let state = try state(of: "work", stage)
                #expect(state == (profile.code == 0 ? "active" : "sign_in_needed"))
                #expect(profile.code == 0 || next.err.contains("vault login work"))
                let counted = try server.statistics()
                #expect(counted.tokenRequests == 2)
                #expect(counted.revocations == 0)
                #expect(counted.grantsRevoked == (profile.code == 0 ? 0 : 1))
            }
        }

        /// Row D17.
        @Test func noFailureMakesItRevoke() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                try server.script(
                    """
                    [{"status":500},{"status":503},{"status":400,"body":"{"},{"status":200,"body":"{"},
                     {"status":200,"body":"<html>"},{"drop":true,"commits":false},
                     {"raw":"nonsense\\r\\n\\r\\n"},
                     {"status":400,"body":"{\\"error\\":\\"invalid_scope\\"}"},
                     {"status":401,"body":"{\\"error\\":\\"invalid_client\\"}"},
                     {"status":429,"headers":{"Retry-After":"1"}}]
                    """
                )
                for number in 1...10 {
                    let ended = try stage.vault("refresh", "work")
                    #expect(ended.code == 6 || ended.code == 1, "\(number): \(ended)")
                }
                let counted = try server.statistics()
                #expect(counted.tokenRequests == 10)
                #expect(counted.revocations == 0 && counted.grantsRevoked == 0)
                #expect(try stage.vault("token", "work").code == 0)
            }
        }

        /// Row B15 of the server's cases.
        @Test func anAccountThatIsRemovedMeanwhileStaysRemoved() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                try server.script(#"[{"delayAfterCommit":1}]"#)
                let refresh = try stage.start(stage.vaultLaunch(["refresh", "work"]))
                #expect(try poll(seconds: 10) { try server.statistics().tokenRequests == 1 })
                #expect(try stage.vault("remove", "work").code == 0)
                let ended = try stage.finish(refresh)
                #expect(ended.code == 3 && ended.stdout.isEmpty, "\(ended)")
                #expect(try stage.vault("list", "--json").out.contains(#""accounts":[]"#))
                #expect(try stage.vault("token", "work").code == 3)
                // What came is kept, sealed, for a week, and nobody is told to revoke it.
                let aside = try stage.system(
                    "sqlite3",
                    [stage.database, "SELECT count(*) FROM received_token"]
                )
                #expect(aside.word == "1")
                #expect(try server.statistics().revocations == 0)
                try stage.add("work", from: server)
                #expect(try stage.vault("refresh", "work").code == 0)
            }
        }

        /// Row A05 of the command's cases.
        @Test func theRefusalOfATokenThatWasReplacedIsNobodysConcern() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                #expect(try stage.login("work", at: server).code == 0)
                let refused = #"{\"error\":\"invalid_grant\"}"#
                try server.script(
                    #"[{"delayAfterCommit":2,"status":400,"body":"\#(refused)"}]"#
                )
                let refresh = try stage.start(stage.vaultLaunch(["refresh", "work"]))
                #expect(
                    try poll(seconds: 10) {
                        try server.statistics().tokenRequestsPerGrantType["refresh_token"] == 1
                    }
                )
                #expect(try stage.login("work", at: server).code == 0)
                let ended = try stage.finish(refresh)
                #expect(ended.code == 0, "\(ended)")
                #expect(try state(of: "work", stage) == "active")
                let token = try stage.vault("token", "work")
                #expect(token.code == 0 && token.stderr.isEmpty, "\(token)")
                #expect(try server.present(token.word) == "200")
                #expect(try !Files.text(stage.log).contains("sign_in_needed"))
                #expect(try stage.vault("refresh", "work").code == 0)
            }
        }

        private func state(of name: String, _ stage: Stage) throws -> String? {
            let document = try JSON(stage.vault("status", name, "--json").word)
            return document["accounts"]?[0]?["state"]?.string
        }
    }
}
