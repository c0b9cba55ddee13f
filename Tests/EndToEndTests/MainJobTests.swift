import FoundationEssentials
import Testing

extension EndToEndTests {
    /// From an empty directory to tokens of two accounts, and back.
    @Suite struct MainJobTests {
        @Test func twoAccountsSignInAreListedSwitchedRefreshedAndRemoved() throws {
            try withStage { stage in
                let server = try stage.startServer()
                let made = try stage.vault("init", "--key-file")
                #expect(made.code == 0 && made.stdout.isEmpty)
                for name in ["work", "home"] {
                    let signedIn = try stage.login(name, at: server, ["--scope", "read"])
                    #expect(signedIn.code == 0 && signedIn.stdout.isEmpty, "\(signedIn)")
                    #expect(signedIn.err.contains("signed in: account \(name) is ready"))
                    // Said once, where systemd could keep the agent.
                    let isSaid = signedIn.err.contains("vault agent install")
                    #expect(isSaid == (name == "work" && Files.exists("/usr/bin/systemctl")))
                }
                try expectListed(stage, current: "work", server)
                let work = try token(stage, "work")
                let home = try token(stage, "home")
                #expect(work != home)
                #expect(try stage.vault("token").word == work)
                #expect(try stage.vault("switch", "home").code == 0)
                #expect(try stage.vault("token").word == home)
                try expectListed(stage, current: "home", server)
                #expect(try server.statistics().refreshes == 0)
                try expectRefreshed(stage, "work", old: work)
                try expectRemoved(stage, "home")
            }
        }

        private func token(_ stage: Stage, _ name: String) throws -> String {
            let ended = try stage.vault("token", name)
            #expect(ended.code == 0 && ended.stderr.isEmpty, "\(ended)")
            #expect(ended.out.hasSuffix("\n") && ended.word.hasPrefix("test-at-"))
            return ended.word
        }

        private func expectListed(
            _ stage: Stage,
            current: String,
            _ server: TestServer
        ) throws {
            let list = try JSON(stage.vault("list", "--json").word)
            #expect(list.keys == ["schemaVersion", "accounts", "locked", "damaged"])
            #expect(list["schemaVersion"] == .number(1))
            let accounts = try #require(list["accounts"]).items
            #expect(accounts.map { $0["name"] } == [.string("home"), .string("work")])
            for account in accounts {
                #expect(
                    account.keys == [
                        "name", "current", "state", "issuer", "expiresAt", "dueAt", "grantEndsAt",
                        "renewal", "tags", "grant", "subject", "displayName",
                    ]
                )
                #expect(account["current"] == .bool(account["name"] == .string(current)))
                #expect(account["state"] == .string("active"))
                #expect(account["issuer"] == .string(server.issuer))
                let expiry = try #require(account["expiresAt"]?.time)
                let due = try #require(account["dueAt"]?.time)
                #expect(Date.now < due && due < expiry)
                #expect(abs(expiry.timeIntervalSinceNow - 3600) < 60)
            }
            let text = try stage.vault("list").out
            #expect(text.contains("\n*  \(current)"), "\(text)")
        }

        private func expectRefreshed(_ stage: Stage, _ name: String, old: String) throws {
            let before = try status(stage, name)
            #expect(before["generation"] == .number(1))
            let refreshed = try stage.vault("refresh", name)
            #expect(refreshed.code == 0 && refreshed.stdout.isEmpty, "\(refreshed)")
            #expect(try status(stage, name)["generation"] == .number(2))
            #expect(try token(stage, name) != old)
        }

        private func expectRemoved(_ stage: Stage, _ name: String) throws {
            #expect(try stage.vault("remove", name).code == 0)
            let names = try JSON(stage.vault("list", "--json").word)["accounts"]?.items
                .map { $0["name"] }
            #expect(names == [.string("work")])
            #expect(try stage.vault("token", name).code == 3)
            // It was the current one: none is chosen now, and none is guessed.
            let unnamed = try stage.vault("token")
            #expect(unnamed.code == 3 && unnamed.stdout.isEmpty)
        }

        private func status(_ stage: Stage, _ name: String) throws -> JSON {
            let status = try JSON(stage.vault("status", name, "--json").word)
            #expect(status.keys == ["schemaVersion", "agent", "accounts", "locked", "damaged"])
            #expect(
                status["agent"]?.keys == [
                    "running", "pid", "version", "locked", "lockReason", "locksAt", "memoryLocked",
                    "unsaved",
                ]
            )
            let account = try #require(status["accounts"]?[0])
            #expect(account["name"] == .string(name))
            #expect(
                account.keys == [
                    "name", "current", "state", "issuer", "expiresAt", "dueAt", "tags",
                    "generation", "lifetime", "grantEndsAt", "renewal",
                    "failureCount", "lastFailure", "reason", "since", "firstSentAt", "sentAgainAt",
                    "tokenEndpoint", "grant", "subject", "displayName",
                ]
            )
            return account
        }

        @Test func jsonOfAnEmptyVaultIsComplete() throws {
            try withStage { stage in
                try stage.initialize()
                let list = try stage.vault("list", "--json")
                let empty = #"{"accounts":[],"damaged":[],"locked":false,"schemaVersion":1}"#
                #expect(list.code == 0 && list.out == empty + "\n", "\(list)")
                let status = try JSON(stage.vault("status", "--json").word)
                #expect(status["accounts"]?.items.isEmpty == true)
                #expect(status["agent"]?["running"] == .bool(false))
                #expect(status["agent"]?["pid"] == .null)
            }
        }

        @Test func whatIsUnknownIsNull() throws {
            try withStage { stage in
                try stage.initialize()
                let response = #"{"access_token":"opaque","token_type":"Bearer"}"#
                try stage.add("static", response, at: "http://127.0.0.1:1/token")
                let account = try JSON(stage.vault("list", "--json").word)["accounts"]?[0]
                #expect(account?["issuer"] == .null)
                #expect(account?["expiresAt"] == .null)
                let token = try JSON(stage.vault("token", "static", "--json").word)
                #expect(token["expiresAt"] == .null)
                #expect(token["accessToken"] == .string("opaque"))
            }
        }

        @Test func tokenAsJSONHasTheDocumentedMembers() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                let token = try JSON(stage.vault("token", "work", "--json").word)
                #expect(
                    token.keys == [
                        "schemaVersion", "account", "accessToken", "tokenType", "expiresAt",
                        "generation", "grantedScope", "warning",
                    ]
                )
                #expect(token["schemaVersion"] == .number(1))
                #expect(token["account"] == .string("work"))
                #expect(token["tokenType"] == .string("Bearer"))
                #expect(token["generation"] == .number(1))
                #expect(token["expiresAt"]?.time != nil)
                #expect(try token["accessToken"]?.string == stage.vault("token", "work").word)
            }
        }

        @Test func theEnvironmentsAccountComesBeforeTheCurrentOneWithoutAFallback() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("first", from: server)
                try stage.add("second", from: server)
                let second = try stage.vault("token", "second").word
                let chosen = try stage.vault("token", environment: ["VAULT_ACCOUNT": "second"])
                #expect(chosen.word == second)
                // The one that is named comes before both.
                let named = try stage.vault(
                    "token",
                    "first",
                    environment: ["VAULT_ACCOUNT": "second"]
                )
                #expect(named.code == 0 && named.word != second)
                let unknown = try stage.vault("token", environment: ["VAULT_ACCOUNT": "third"])
                #expect(unknown.code == 3 && unknown.stdout.isEmpty)
                #expect(unknown.err.contains("third"))
                let switched = try stage.vault(
                    "switch",
                    "first",
                    environment: ["VAULT_ACCOUNT": "second"]
                )
                #expect(switched.code == 0 && switched.err.contains("VAULT_ACCOUNT"))
                #expect(try stage.vault("switch", "first").code == 0)
            }
        }
    }
}
