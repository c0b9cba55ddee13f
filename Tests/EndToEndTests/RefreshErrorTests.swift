import FoundationEssentials
import Glibc
import Testing

extension EndToEndTests {
    /// A refresh that fails, as the person at the command sees it.
    @Suite struct RefreshErrorTests {
        @Test func aTokenThatIsStillValidIsServedWithAWarning() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try server.setStanding(#"{"status":500}"#)
                try stage.initialize()
                // Below a quarter of its life a token is renewed first; with 5 s left it is usable.
                try stage.add("work", from: server, expiresIn: 28)
                let end = ContinuousClock.now + .seconds(30)
                var warned: Ended?
                while warned == nil, ContinuousClock.now < end {
                    let ended = try stage.vault("token", "work")
                    guard ended.code == 0, ended.word.hasPrefix("test-at-") else { break }
                    if !ended.stderr.isEmpty { warned = ended }
                    usleep(100_000)
                }
                let words = try #require(warned, "no token came with a warning")
                #expect(words.err.contains("vault: warning: "), "\(words)")
                #expect(words.errorLines.isEmpty)
                let longer = try stage.vault("token", "work", "--min-valid", "20")
                #expect(longer.code == 6 && longer.stdout.isEmpty, "\(longer)")
                #expect(longer.errorLines.count == 1)
                #expect(try server.statistics().mostPostsOfOneRefreshToken <= 3)
            }
        }

        @Test func aForcedRefreshThatFailsKeepsWhatIsThere() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                let token = try stage.vault("token", "work").word
                try server.script(#"[{"status":503,"headers":{"Retry-After":"1"}}]"#)
                let failed = try stage.vault("refresh", "work")
                #expect(failed.code == 6 && failed.stdout.isEmpty, "\(failed)")
                let still = try stage.vault("token", "work")
                #expect(still.code == 0 && still.word == token)
                let status = try JSON(stage.vault("status", "work", "--json").word)["accounts"]?[0]
                #expect(status?["failureCount"] == .number(1))
                #expect(status?["lastFailure"]?.string != nil)
                #expect(status?["dueAt"]?.time != nil)
            }
        }

        @Test func retryAfterIsWaitedForInFull() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.addExpired(["work"], from: server)
                let answer = #"{"status":429,"headers":{"Retry-After":"2"}}"#
                try server.script("[\(answer)]")
                let throttled = try stage.vault("token", "work")
                #expect(throttled.code == 6 && throttled.stdout.isEmpty, "\(throttled)")
                let begin = ContinuousClock.now
                let isSent = try poll(seconds: 6, every: 50) {
                    _ = try stage.vault("token", "work")
                    return try server.statistics().tokenRequests == 2
                }
                #expect(isSent && begin.duration(to: .now) > .seconds(1.9))
                #expect(try stage.vault("token", "work").code == 0)
            }
        }

        @Test func aMinimumThatEvenAFreshTokenDoesNotHaveIsSaidAndNotRepeated() throws {
            try withStage { stage in
                let server = try stage.startServer("--lifetime", "600")
                try stage.initialize()
                // Long enough by its lifetime, and yet not by what is left of it.
                try stage.add("work", from: server, expiresIn: 1800)
                let old = try stage.vault("token", "work").word
                for _ in 1...3 {
                    usleep(100_000)
                    let ended = try stage.vault("token", "work", "--min-valid", "1800")
                    #expect(ended.code == 1 && ended.stdout.isEmpty, "\(ended)")
                    #expect(ended.errorLines.count == 1 && ended.err.contains("1800"))
                }
                #expect(try server.statistics().tokenRequests == 1)
                // What came back is kept all the same.
                let new = try stage.vault("token", "work").word
                #expect(new.hasPrefix("test-at-") && new != old)
            }
        }

        @Test func aRefusedGrantAsksForASignInAndASignInMendsItWithTheSameAgent() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                #expect(try stage.login("work", at: server).code == 0)
                let token = try stage.vault("token", "work").word
                let agent = try stage.requireAgent()
                try server.script(
                    #"[{"status":400,"body":"{\"error\":\"invalid_grant\"}"}]"#
                )
                let refused = try stage.vault("refresh", "work")
                #expect(refused.code == 4 && refused.stdout.isEmpty, "\(refused)")
                #expect(refused.errorLines.count == 1 && refused.seconds < 2)
                #expect(refused.err.contains("'work'"))
                #expect(refused.err.contains("vault: hint: vault login work"))
                // Known to be refused: it is not sent again.
                #expect(try stage.vault("refresh", "work").code == 4)
                #expect(try server.statistics().tokenRequestsPerGrantType["refresh_token"] == 1)
                // The token is good until it expires.
                let last = try stage.vault("token", "work")
                #expect(last.code == 0 && last.word == token)
                #expect(last.err.contains("vault: warning: ") && last.err.contains("vault login"))
                let state = try JSON(stage.vault("list", "--json").word)["accounts"]?[0]?["state"]
                #expect(state == .string("sign_in_needed"))
                #expect(try stage.login("work", at: server).code == 0)
                let mended = try stage.vault("token", "work")
                #expect(mended.code == 0 && mended.stderr.isEmpty && mended.word != token)
                #expect(try stage.vault("refresh", "work").code == 0)
                #expect(try stage.requireAgent() == agent)
            }
        }

        @Test func onceExpiredARefusedGrantGivesNoTokenAndOneRequest() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.addExpired(["work"], from: server)
                try server.setStanding(#"{"status":400,"body":"{\"error\":\"invalid_grant\"}"}"#)
                for _ in 1...10 {
                    let ended = try stage.vault("token", "work")
                    #expect(ended.code == 4 && ended.stdout.isEmpty, "\(ended)")
                    #expect(ended.errorLines.count == 1)
                    #expect(ended.err.contains("vault: hint: vault login work"))
                }
                #expect(try server.statistics().tokenRequests == 1)
                #expect(try stage.vault("list").out.contains("sign_in_needed"))
            }
        }

        @Test func whatTheServerSaysNeverReachesTheTerminalRaw() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                let evil =
                    #"\u001b[31mred\u001b]0;title\u0007 \u009b2J\r\nvault: error: fake \u202e"#
                let body = #"{\"error\":\"invalid_grant\",\"error_description\":\"\#(evil)\"}"#
                let escaped = body.replacing(#"\u"#, with: #"\\u"#)
                    .replacing(#"\r\n"#, with: #"\\r\\n"#)
                try server.script(#"[{"status":400,"body":"\#(escaped)"}]"#)
                let refused = try stage.vault("refresh", "work")
                #expect(refused.code == 4 && refused.errorLines.count == 1, "\(refused)")
                let raw = refused.err.unicodeScalars.filter { scalar in
                    scalar != "\n" && scalar.properties.generalCategory == .control
                        || scalar.properties.generalCategory == .format
                }
                #expect(raw.isEmpty, "\(refused)")
                for words in [["status"], ["status", "--json"], ["list"]] {
                    #expect(try !stage.vault(words).stdout.contains(0x1b))
                }
                #expect(try !Files.read(stage.log).contains(0x1b))
            }
        }
    }
}
