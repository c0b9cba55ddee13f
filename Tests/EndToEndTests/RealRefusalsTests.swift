import FoundationEssentials
import Glibc
import Testing

extension EndToEndTests {
    /// What two authorization servers that others wrote say when they refuse, and what we make of it.
    ///
    /// django-oauth-toolkit answers in the words of RFC 6749 §5.2. Glewlwyd answers to a refresh
    /// that it refuses, whatever the reason, with the status 400 and an empty body: no refusal in so
    /// many words.
    @Suite struct RealRefusalsTests {
        private struct Expected {
            let code: Int32
            let state: String
            let words: String
        }

        private static func refused(by kind: RealServer.Kind) -> Expected {
            kind == .dot
                ? Expected(code: 4, state: "sign_in_needed", words: "invalid_grant")
                : Expected(code: 6, state: "outcome_unknown", words: "HTTP status 400")
        }

        /// Three accounts that their server refuses, by the reason.
        private func refusedGrants(
            _ stage: Stage,
            _ server: RealServer,
            _ redirectURI: String
        ) throws -> [String: RealGrant] {
            let revoked = try RealGrant(server, redirectURI)
            try stage.add("revoked", revoked.response, server)
            try server.revoke(revoked.refreshToken)
            let reused = try RealGrant(server, redirectURI)
            try stage.add("reused", reused.response, server)
            #expect(try server.spend(reused.refreshToken) == "200")
            let unknown = try RealGrant(server, redirectURI)
                .withRefreshToken("a-refresh-token-of-nobody-\(UInt64.random(in: 0 ... .max))")
            try stage.add("unknown", unknown.response, server)
            return ["revoked": revoked, "reused": reused, "unknown": unknown]
        }

        @Test(arguments: [RealServer.Kind.glewlwyd, .dot])
        func refusedRevokedAndReusedTokens(kind: RealServer.Kind) throws {
            try withRealServer(kind) { stage, server, redirectURI in
                let grants = try refusedGrants(stage, server, redirectURI)
                let expected = Self.refused(by: kind)
                for (name, grant) in grants {
                    let refused = try stage.vault("refresh", name)
                    #expect(refused.code == expected.code, "\(refused)")
                    #expect(refused.stdout.isEmpty && refused.errorLines.count == 1, "\(refused)")
                    #expect(refused.err.contains(name) && refused.err.contains(expected.words))
                    let hint = "vault: hint: vault login \(name)"
                    #expect(refused.err.contains(hint) == (kind == .dot), "\(refused)")
                    let status = try stage.status(of: name)
                    #expect(status?["state"] == .string(expected.state))
                    #expect(status?["lastFailure"] == .string(expected.state))
                    #expect(status?["failureCount"] == .number(1))
                    // Its pair is kept, and the token that lives is handed out.
                    #expect(try stage.refreshToken(of: name) == grant.refreshToken)
                    let token = try stage.vault("token", name)
                    #expect(token.code == 0 && token.word == grant.accessToken, "\(token)")
                    #expect(token.err.contains("vault: warning: ") == (kind == .dot), "\(token)")
                }
                // The server writes down two of them only, if it is Glewlwyd.
                let refusals = kind == .dot ? 3 : 2
                #expect(try server.refusals() == refusals)
                try expectBackOff(of: grants.keys, stage, kind)
                #expect(try server.refusals() == refusals)
                let listed = try JSON(stage.vault("list", "--json").word)["accounts"]?.items
                #expect(Set(listed?.compactMap { $0["name"]?.string } ?? []) == Set(grants.keys))
                let leaks = try RealGrant.leaks(of: grants.values, in: stage)
                #expect(leaks.isEmpty, "\(leaks)")
            }
        }

        /// Whoever asks for more life than the token has gets nothing, and nothing is sent for it.
        private func expectBackOff(
            of names: some Sequence<String>,
            _ stage: Stage,
            _ kind: RealServer.Kind
        ) throws {
            for name in names {
                let ended = try stage.vault("token", name, "--min-valid", "7200")
                #expect(ended.code == Self.refused(by: kind).code, "\(ended)")
                #expect(ended.stdout.isEmpty && ended.errorLines.count == 1, "\(ended)")
                let due = try stage.status(of: name)?["dueAt"]?.time
                if kind == .dot {
                    // Known to be refused: not sent again, not even when a person asks for it.
                    #expect(try stage.vault("refresh", name).code == 4)
                    // The daily probe.
                    #expect(due.map { $0 > Date(timeIntervalSinceNow: 23 * 3600) } == true)
                } else {
                    #expect(ended.err.contains("vault: hint: it is tried again in "), "\(ended)")
                    #expect(due.map { $0 > Date() } == true)
                }
            }
        }

        /// 400 and an empty body, again and again: never flagged at once, never sent in a row.
        @Test func aLivingTokenIsServedWithAWarningAsLongAsItLives() throws {
            try withRealServer(.glewlwyd) { stage, server, redirectURI in
                // Below a quarter of its life a token is renewed first; with 5 s left it is usable.
                let grant = try RealGrant(server, redirectURI).living(seconds: 26)
                let began = ContinuousClock.now
                try stage.add("work", grant.response, server)
                try server.revoke(grant.refreshToken)
                #expect(try stage.vault("refresh", "work").code == 6)
                usleep(UInt32(max(0, (began + .seconds(19.6) - .now) / .microseconds(1))))
                var warned = try stage.vault("token", "work")
                while warned.stderr.isEmpty, began.duration(to: .now) < .seconds(21) {
                    usleep(50_000)
                    warned = try stage.vault("token", "work")
                }
                #expect(warned.code == 0 && warned.word == grant.accessToken, "\(warned)")
                #expect(warned.err.contains("vault: warning: "), "\(warned)")
                usleep(UInt32(max(0, (began + .seconds(26.2) - .now) / .microseconds(1))))
                let ended = try stage.vault("token", "work")
                #expect(ended.code == 6 && ended.stdout.isEmpty, "\(ended)")
                #expect(try stage.status(of: "work")?["state"] == .string("outcome_unknown"))
                // At most one in ten seconds, and the one that was asked for.
                let refusals = try server.refusals()
                #expect((1...4).contains(refusals), "\(refusals) requests")
                #expect(try stage.refreshToken(of: "work") == grant.refreshToken)
                #expect(try RealGrant.leaks(of: [grant], in: stage).isEmpty)
            }
        }

        @Test(arguments: [RealServer.Kind.glewlwyd, .dot])
        func onceBothTokensHaveExpiredThereIsNone(kind: RealServer.Kind) throws {
            let settings = ["REFRESH_TTL": kind == .dot ? "1" : "2"]
            try withRealServer(kind, accessTokenLifetime: 2, settings: settings) {
                stage,
                server,
                redirectURI in
                let grant = try RealGrant(server, redirectURI)
                try stage.add("work", grant.response, server)
                #expect(try stage.vault("agent", "stop").code == 0)
                usleep(3_300_000)
                for _ in 1...4 {
                    let ended = try stage.vault("token", "work")
                    #expect(ended.code == Self.refused(by: kind).code, "\(ended)")
                    #expect(ended.stdout.isEmpty && ended.errorLines.count == 1, "\(ended)")
                }
                if kind == .dot { #expect(try server.refusals() == 1) }
                let state = try stage.status(of: "work")?["state"]
                #expect(state == .string(Self.refused(by: kind).state))
                #expect(try stage.refreshToken(of: "work") == grant.refreshToken)
                #expect(try RealGrant.leaks(of: [grant], in: stage).isEmpty)
            }
        }

        /// Both servers revoke the whole family when a refresh token comes back.
        @Test(arguments: [RealServer.Kind.glewlwyd, .dot])
        func aSignInMendsAGrantThatWasUsedElsewhere(kind: RealServer.Kind) throws {
            try withRealServer(kind) { stage, server, redirectURI in
                try stage.login("work", server, redirectURI)
                let stolen = try #require(try stage.refreshToken(of: "work"))
                #expect(try server.spend(stolen, isPublic: true) == "200")
                let refused = try stage.vault("refresh", "work")
                #expect(refused.code == Self.refused(by: kind).code, "\(refused)")
                #expect(try stage.refreshToken(of: "work") == stolen)
                let again = try stage.login("work", issuer: nil, clientID: nil) {
                    try server.browse($0)
                }
                #expect(again.code == 0, "\(again)")
                #expect(try stage.status(of: "work")?["state"] == .string("active"))
                #expect(try stage.refreshToken(of: "work") != stolen)
                for _ in 1...2 {
                    let refreshed = try stage.vault("refresh", "work")
                    #expect(refreshed.code == 0, "\(refreshed)")
                }
                #expect(try server.present(stage.vault("token", "work").word) == "200")
                let listed = try JSON(stage.vault("list", "--json").word)["accounts"]?.items
                #expect(listed?.count == 1)
            }
        }

        /// Glewlwyd leaves the refresh token out, django-oauth-toolkit repeats the one it was sent.
        @Test(arguments: [RealServer.Kind.glewlwyd, .dot])
        func anAnswerWithoutANewRefreshTokenKeepsTheOldOne(kind: RealServer.Kind) throws {
            try withRealServer(kind, rotates: false) { stage, server, redirectURI in
                let grant = try RealGrant(server, redirectURI)
                try stage.add("work", grant.response, server)
                var tokens: Set = [grant.accessToken]
                for _ in 1...3 {
                    let refreshed = try stage.vault("refresh", "work")
                    #expect(refreshed.code == 0, "\(refreshed)")
                    let token = try stage.vault("token", "work").word
                    #expect(try server.present(token) == "200")
                    tokens.insert(token)
                    #expect(try stage.refreshToken(of: "work") == grant.refreshToken)
                    // The next is by an agent of its own, from what was stored.
                    #expect(try stage.vault("agent", "stop").code == 0)
                }
                let status = try stage.status(of: "work")
                #expect(status?["generation"] == .number(4))
                #expect(status?["state"] == .string("active"))
                // JSON Web Tokens of one second may be the same.
                #expect(tokens.count > 1)
                #expect(try server.refusals() == 0)
                #expect(try RealGrant.leaks(of: [grant], in: stage).isEmpty)
            }
        }

        @Test(arguments: [RealServer.Kind.glewlwyd, .dot])
        func aWrongClientSecretCostsNothingThatIsStored(kind: RealServer.Kind) throws {
            try withRealServer(kind) { stage, server, redirectURI in
                let grant = try RealGrant(server, redirectURI)
                try stage.add("work", grant.response, server, secret: "not-the-secret")
                let refused = try stage.vault("refresh", "work")
                let words = kind == .dot ? "refuses the client: invalid_client" : "HTTP status 400"
                #expect(refused.code == (kind == .dot ? 1 : 6), "\(refused)")
                #expect(refused.stdout.isEmpty && refused.errorLines.count == 1, "\(refused)")
                #expect(refused.err.contains(words), "\(refused)")
                #expect(!refused.err.contains("vault login"), "\(refused)")
                let state = kind == .dot ? "client_refused" : "outcome_unknown"
                #expect(try stage.status(of: "work")?["state"] == .string(state))
                #expect(try stage.vault("token", "work").word == grant.accessToken)
                #expect(try stage.refreshToken(of: "work") == grant.refreshToken)
                #expect(try RealGrant.leaks(of: [grant], in: stage).isEmpty)
                // The grant is as good as before; not so at Glewlwyd, which looks at the secret only
                // after it has rotated the refresh token. Nothing may be tried out on it.
                let status = kind == .dot ? "200" : "400"
                #expect(try server.spend(grant.refreshToken) == status)
            }
        }

        /// A server that gives one who repeats a refresh token in time the same answer again.
        @Test func aTokenThatIsReusedWithinItsGraceIsAnswered() throws {
            try withRealServer(.dot, settings: ["GRACE": "60"]) { stage, server, redirectURI in
                let grant = try RealGrant(server, redirectURI)
                try stage.add("work", grant.response, server)
                #expect(try server.spend(grant.refreshToken) == "200")
                for _ in 1...2 {
                    let refreshed = try stage.vault("refresh", "work")
                    #expect(refreshed.code == 0, "\(refreshed)")
                    #expect(try server.present(stage.vault("token", "work").word) == "200")
                }
                #expect(try server.refusals() == 0)
                #expect(try stage.status(of: "work")?["generation"] == .number(3))
            }
        }
    }
}
